import ArticleStore
import BroadsheetPlatform
import CBroadsheetPostgres
import Glibc

extension StoreOpeningError {
    /// Distinguishes mistakes, which the operator has to correct, from outages, which end by
    /// themselves.
    ///
    /// - Parameter error: The error of the server, or of the attempt to connect to it.
    init(_ error: StoreError, of address: PostgresAddress) {
        let path = address.text
        switch error {
        case .rejected(StoreOpeningError.unsuitable(_, let reason)):
            self = .unsuitable(path: path, reason: reason)
        case .rejected, .full, .corrupt: self = StoreOpeningError(error, at: path)
        default:
            let reason = error.reason
            var states = [Self.state(in: reason)].compactMap { $0 }
            if states == ["connection"] { states = PostgresSession.failureStates(at: address) }
            self =
                switch Self.kind(of: states, reason) {
                case .outage: .unreachable(path: path, reason: reason)
                case .permission: .forbidden(path: path, reason: reason)
                case .configuration: .unsuitable(path: path, reason: reason)
                case .other: .failed(path: path, reason: reason)
                }
        }
    }

    private enum Kind { case outage, permission, configuration, other }

    /// The code in a reason that `StoreError(sqlState:message:)` has made.
    private static func state(in reason: String) -> String? {
        let words = reason.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "PostgreSQL", words[1].hasSuffix(":") else {
            return nil
        }
        return String(words[1].dropLast())
    }

    /// libpq's own words for mistakes in the parameters of a connection.
    private static let mistakes = [
        "invalid ", "certificate", "private key", "does not support SSL", "no password supplied",
    ]

    /// - Parameter states: Of all attempts: there may be several servers in an address. Without
    ///   any, no server has responded.
    private static func kind(of states: [String], _ reason: String) -> Kind {
        if reason.hasSuffix(StoreError.poolerMode) { return .configuration }
        guard let first = states.first else {
            return mistakes.contains { reason.contains($0) } ? .configuration : .outage
        }
        if let outage = states.first(where: { kind(of: $0) == .outage }) { return kind(of: outage) }
        return kind(of: first)
    }

    /// The kind of a code (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    private static func kind(of state: String) -> Kind {
        switch state {
        case "42501": .permission
        case "3D000", "3F000", "42704": .configuration
        case let state where state.hasPrefix("28"): .permission
        case let state where ["08", "53", "57"].contains(state.prefix(2)): .outage
        default: .other
        }
    }
}

extension StoreError {
    /// The database is not set up for this program.
    static func unusable(_ reason: String) -> StoreError {
        .rejected(StoreOpeningError.unsuitable(path: "the database", reason: reason))
    }

    /// Two open sessions use one process of the server: each transaction may get another one, and
    /// locks, settings and notifications would be those of another session. Newer poolers keep
    /// prepared statements for each of their clients, so that no statement fails.
    static let sharedProcess = unusable("its sessions share processes of the server; \(poolerMode)")
}

extension PostgresSession {
    private static let probeMilliseconds: Int64 = 10_000

    /// Connects once more, and returns the codes of the errors that servers reported: messages
    /// contain them only if that was asked for before the attempt, and they are in the server's
    /// language.
    static func failureStates(at address: PostgresAddress) -> [String] {
        guard let handle = start(options(of: address)) else { return [] }
        defer { PQfinish(handle) }
        // Wrong parameters: there is no socket to wait for.
        guard PQstatus(handle) != CONNECTION_BAD else { return [] }
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let deadline = PollDeadline(milliseconds: probeMilliseconds)
        var next = PGRES_POLLING_WRITING
        while next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING {
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard (try? deadline.waits(for: events, of: PQsocket(handle))) == true else {
                return []
            }
            next = PQconnectPoll(handle)
        }
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return message.split(separator: "\n").compactMap { state(in: $0) }
    }

    /// The code in `FATAL:  28000: role "ada" does not exist`.
    private static func state(in line: Substring) -> String? {
        let bytes = Array(line.utf8)
        for start in bytes.indices where bytes[start...].starts(with: ":  ".utf8) {
            let code = bytes[(start + 3)...].prefix(6)
            guard code.count == 6, code.last == UInt8(ascii: ":") else { continue }
            let isCode = code.dropLast().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            }
            if isCode { return String(decoding: code.dropLast(), as: UTF8.self) }
        }
        return nil
    }
}
