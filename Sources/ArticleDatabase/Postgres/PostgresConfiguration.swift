/// The limits of a PostgreSQL store.
public struct PostgresConfiguration: Sendable, Hashable {
    public var limits = StoreLimits()
    /// Maximum time in milliseconds that a statement of a read may take.
    public var readMilliseconds = 10_000
    /// Maximum time in milliseconds that a statement of a write may take, or wait for others.
    public var writeMilliseconds = 30_000

    /// True if this process may do the work that only one process does at a time, if no other one
    /// leads. Only those that serve should, as they also do it.
    public var mayLead = false

    /// A commit takes the turn of all other programs: it must not become too large.
    public init() { limits.writesPerCommit = 60 }

    private static let common = [("jit", "off"), ("standard_conforming_strings", "on")]

    var readerSettings: [(name: String, value: String)] {
        Self.common + [
            ("statement_timeout", "\(readMilliseconds)"),
            ("default_transaction_read_only", "on"),
            ("idle_in_transaction_session_timeout", "60000"),
            // A page looks up each article once: remembering them costs a fifth of its time.
            ("enable_memoize", "off"),
        ]
    }

    /// An export takes as long as its recipient does.
    var exportSettings: [(name: String, value: String)] {
        Self.common + [("statement_timeout", "0"), ("default_transaction_read_only", "on")]
    }

    /// A migration takes as long as there are rows, and rests between looking for new ones.
    var migrationSettings: [(name: String, value: String)] {
        Self.common + [
            ("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0"),
            ("lock_timeout", "0"),
        ]
    }

    /// The server ends a session that does not ask for this time, in milliseconds, so that another
    /// process can become the leader when this one is stopped or cut off.
    static let leaderMilliseconds = 1_500

    var followerSettings: [(name: String, value: String)] {
        Self.common + [
            ("statement_timeout", "3000"), ("lock_timeout", "3000"),
            ("idle_session_timeout", "\(Self.leaderMilliseconds)"),
            ("idle_in_transaction_session_timeout", "\(Self.leaderMilliseconds)"),
            ("tcp_keepalives_idle", "1"), ("tcp_keepalives_interval", "1"),
            ("tcp_keepalives_count", "2"),
        ]
    }

    /// The maximum idle time of a write transaction before PostgreSQL ends it, in milliseconds: its
    /// program was probably stopped, and all others wait for it, and reject writes after 5 s.
    static let turnMilliseconds = 4_000

    var writerSettings: [(name: String, value: String)] {
        Self.common + [
            ("statement_timeout", "\(writeMilliseconds)"),
            // The server ends the session soon when this program or its machine is gone.
            ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"),
            ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("idle_in_transaction_session_timeout", "\(Self.turnMilliseconds)"),
        ]
    }
}
