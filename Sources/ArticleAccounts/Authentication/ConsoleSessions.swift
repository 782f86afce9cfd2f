package import ArticleAPI
package import ArticleServiceCore
import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
import BroadsheetPlatform

/// Authenticates the requests of a session of the console that does not belong to a user. See
/// ``ConsoleSessions``.
package struct ConsoleToken: SessionToken {
    package static let prefix = "bsc_"
    package static let secretLengths = [32]
    package let sessionID: String
    package let text: String

    package init(sessionID: String, text: String) {
        self.sessionID = sessionID
        self.text = text
    }
}

/// Sessions of the console without an account: of those who signed in with an API key, and of the
/// operator, who has a key from the configuration or has followed a link.
///
/// They are in memory only, and end with the process. A browser never keeps a key: it keeps the
/// token of a session that ends with the key. Their number is bounded; the oldest ones make room.
/// Safe to use from any thread.
package final class ConsoleSessions: Sendable {
    /// The credentials of a sign-in.
    package enum Grant: Sendable, Hashable {
        /// The key with this public id.
        case key(String)
        case operatorKey
        /// A link that was printed on this machine: valid on this machine only.
        case link
    }

    fileprivate struct Session {
        let digest: [UInt8]
        let grant: Grant
        let expiresAt: Timestamp

        /// Returns the access that ends with this session.
        ///
        /// - Parameter id: Its public id.
        func end(_ id: String) -> AccessRevocation {
            if case .key(let key) = grant { .keySession(id, of: key) } else { .key(id) }
        }
    }

    /// The content of a link, until it is followed.
    fileprivate struct Link {
        let digest: [UInt8]
        let expiresAt: Timestamp
    }

    fileprivate struct State {
        /// By public id.
        var sessions: [String: Session] = [:]
        /// The oldest first.
        var links: [Link] = []
        var observer: Observer?
    }

    typealias Observer = @Sendable (AccessRevocation) -> Void

    package static let sessionMilliseconds: Int64 = 8 * 3_600 * 1_000
    static let linkMilliseconds: Int64 = 10 * 60 * 1_000
    /// The maximum sessions of one key, and of all together.
    static let limitSessions = (ofGrant: 32, all: 1_024)
    /// The maximum open links.
    static let limitLinks = 16

    private let keys: KeyRing
    private let system: SystemEnvironment
    private let state = Lock(State())

    init(keys: KeyRing, system: SystemEnvironment) {
        self.keys = keys
        self.system = system
    }

    // MARK: Links

    /// A secret text with which the operator can sign in once, within ten minutes.
    package func makeLink() -> (text: String, expiresAt: Timestamp) {
        let text = ByteText.base64URL(system.randomBytes(32))
        let time = system.now
        let link = Link(
            digest: Digest.sha256(text.utf8),
            expiresAt: time.advanced(byMilliseconds: Self.linkMilliseconds))
        state.withLock { state in
            state.links.removeAll { $0.expiresAt <= time }
            if state.links.count >= Self.limitLinks { state.links.removeFirst() }
            state.links.append(link)
        }
        return (text, link.expiresAt)
    }

    /// Uses up a link; false if it was used, has expired or never existed.
    package func use(link text: String) -> Bool {
        let digest = Digest.sha256(text.utf8.prefix(100))
        let time = system.now
        return state.withLock { state in
            // Comparing digests discloses nothing about the text.
            guard let index = state.links.firstIndex(where: { $0.digest == digest }) else {
                return false
            }
            return state.links.remove(at: index).expiresAt > time
        }
    }

    /// Returns true if the sender is on this machine, as far as this can be known: no proxy has
    /// forwarded the request. It may be one that is not trusted, so its fields count whatever they
    /// contain.
    package static func isLocal(_ fields: HTTPFields, _ context: RequestContext) -> Bool {
        let forwarding: [HTTPFieldName] = [
            .forwarded, .xForwardedFor, .xForwardedProto, .xRealIP, .via,
        ]
        return context.isLocal && !forwarding.contains(where: fields.contains)
    }

    // MARK: Sessions

    /// Begins a session.
    package func begin(_ grant: Grant) -> ConsoleToken {
        let token = ConsoleToken(
            of: ByteText.hexadecimal(system.randomBytes(8)), secret: system.randomBytes(32))
        let time = system.now
        let session = Session(
            digest: token.digest, grant: grant,
            expiresAt: time.advanced(byMilliseconds: Self.sessionMilliseconds))
        let (ended, observer) = state.withLock { state in
            state.sessions = state.sessions.filter { $0.value.expiresAt > time }
            let ended = state.makeRoom(for: grant)
            state.sessions[token.sessionID] = session
            return (ended, state.observer)
        }
        for end in ended { observer?(end) }
        return token
    }

    /// Returns the sender of this token.
    ///
    /// - Parameter isLocal: True if it came from this machine (`isLocal`).
    package func principal(of token: ConsoleToken, isLocal: Bool) throws(ServiceError) -> Principal
    {
        guard let session = state.withLock({ $0.sessions[token.sessionID] }),
            token.hasDigest(session.digest), isLocal || session.grant != .link
        else { throw .unauthenticated(.unknown) }
        guard system.now < session.expiresAt else { throw .unauthenticated(.expired) }
        switch session.grant {
        case .operatorKey, .link:
            return .operatorSession(id: token.sessionID, expiresAt: session.expiresAt)
        case .key(let id):
            return try keys.principal(ofVerified: id)
                .inConsole(session: token.sessionID, expiringBy: session.expiresAt)
        }
    }

    /// Ends a session; no matter whether it has begun.
    package func end(_ token: ConsoleToken) {
        let (end, observer) = state.withLock { state -> (AccessRevocation?, Observer?) in
            guard let session = state.sessions[token.sessionID], token.hasDigest(session.digest)
            else { return (nil, nil) }
            state.sessions[token.sessionID] = nil
            return (session.end(token.sessionID), state.observer)
        }
        if let end { observer?(end) }
    }

    /// Returns true if the session of the console in which it acts, if there is one, has not ended.
    func isCurrent(_ principal: Principal) -> Bool {
        guard let id = principal.consoleSession else { return true }
        return state.withLock { $0.sessions[id] != nil } && !principal.isExpired(at: system.now)
    }

    /// Calls the observer when a session ends.
    func observe(_ observer: @escaping Observer) {
        state.withLock { $0.observer = observer }
    }
}

extension ConsoleSessions.State {
    /// Removes the oldest sessions until there is room for one with this grant.
    ///
    /// - Returns: The access that ends with them.
    fileprivate mutating func makeRoom(for grant: ConsoleSessions.Grant) -> [AccessRevocation] {
        let limits = ConsoleSessions.limitSessions
        var ended: [AccessRevocation?] = []
        if sessions.values.count(where: { $0.grant == grant }) >= limits.ofGrant {
            ended.append(removeOldest { $0.grant == grant })
        }
        if sessions.count >= limits.all { ended.append(removeOldest { _ in true }) }
        return ended.compactMap(\.self)
    }

    private mutating func removeOldest(
        where isOne: (ConsoleSessions.Session) -> Bool
    ) -> AccessRevocation? {
        let oldest = sessions.filter { isOne($0.value) }
            .min { $0.value.expiresAt < $1.value.expiresAt }
        guard let oldest else { return nil }
        sessions[oldest.key] = nil
        return oldest.value.end(oldest.key)
    }
}
