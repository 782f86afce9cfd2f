import ArticleStore
import BroadsheetPlatform
import CBroadsheetPostgres
import Glibc

/// Notifications (`LISTEN`), and statements with a deadline, for a thread that waits for both.
extension PostgresSession {
    /// The descriptor of the connection, readable when something has arrived (`PQsocket`).
    var socket: Int32 { PQsocket(handle) }

    /// Returns the process of the server that serves this session. The server is asked once, as a
    /// pooler in between invents the value of `PQbackendPID`.
    func serverProcess() throws(StoreError) -> Int32 {
        if let knownProcess { return knownProcess }
        guard let process = try value("SELECT pg_backend_pid()").flatMap({ Int32($0) }) else {
            throw .unavailable("the process of the session is unknown")
        }
        knownProcess = process
        return process
    }

    /// Begins to receive the numbers of commits.
    func listen() throws(StoreError) {
        guard let channel = try value("SELECT \(Self.channel)") else {
            throw .unavailable("the channel of commits has no name")
        }
        _ = try run("LISTEN \"\(channel)\"")
    }

    /// The highest number of a commit that has arrived since the last call; 0 if none has
    /// (`PQnotifies`).
    func notifiedCommit() throws(StoreError) -> Int64 {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var highest: Int64 = 0
        while let notification = PQnotifies(handle) {
            defer { PQfreemem(notification) }
            let text = notification.pointee.extra.map { String(cString: $0) } ?? ""
            highest = max(highest, Int64(text) ?? 0)
        }
        return highest
    }

    /// Runs a query whose result must arrive in time (`PQsendQuery`).
    ///
    /// - Throws: `.unavailable` if it is not; the session is of no use then.
    func run(_ text: String, withinMilliseconds limit: Int64) throws(StoreError) -> PostgresResult {
        try settle()
        guard PQsendQuery(handle, text) == 1 else { throw lost() }
        let deadline = PollDeadline(milliseconds: limit)
        while PQisBusy(handle) == 1 {
            guard (try? deadline.waits(for: POLLIN, of: socket)) == true else {
                throw .unavailable("PostgreSQL did not respond in time")
            }
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        let result = try checked(PQgetResult(handle))
        while let rest = PQgetResult(handle) { PQclear(rest) }
        return result
    }
}
