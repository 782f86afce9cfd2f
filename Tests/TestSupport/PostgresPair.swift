import CBroadsheetLinux
import Glibc

/// Two private PostgreSQL servers, a primary and its synchronous standby. They are stopped and
/// removed when this object is released.
public final class PostgresPair: Sendable {
    private let program: RunningProgram
    private let end: Int32
    /// The folders of their sockets.
    private let folders: [Substring]

    public init() throws(TestFailure) {
        var ends: [Int32] = [0, 0]
        guard broadsheet_pipe(&ends) == 0 else { throw .system("pipe") }
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        program = try RunningProgram("/\(root)/Tests/Tools/postgres-pair", passing: [ends[0]])
        close(ends[0])
        end = ends[1]
        guard let line = program.output.next(), line.hasPrefix("ready ") else {
            throw TestFailure("PostgreSQL did not start: \(program.errors.rest())")
        }
        folders = line.split(separator: " ").suffix(2).map { $0 }
    }

    deinit {
        close(end)
        _ = program.wait()
    }

    /// The URL of their database, whichever is the primary.
    public var url: String {
        "postgresql:///postgres?user=broadsheet&host=\(folders.joined(separator: ","))"
    }

    /// Kills the primary, promotes the standby, and waits until there is a standby again.
    public func failOver() throws(TestFailure) {
        try perform("fail-over", until: ["promoted", "paired"])
    }

    /// Kills the standby: commits wait until it is started again.
    public func stopStandby() throws(TestFailure) { try perform("stop", until: ["stopped"]) }

    public func startStandby() throws(TestFailure) { try perform("start", until: ["paired"]) }

    private func perform(_ command: String, until lines: [String]) throws(TestFailure) {
        let bytes = Array("\(command)\n".utf8)
        guard write(end, bytes, bytes.count) == bytes.count else {
            throw TestFailure("the servers are gone")
        }
        for expected in lines {
            guard program.output.next() == expected else {
                throw TestFailure("not \(expected): \(program.errors.rest())")
            }
        }
    }
}
