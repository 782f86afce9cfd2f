import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc

/// Servers over one new database.
final class NodeCluster: Sendable {
    /// The PostgreSQL database, whose sessions have the names of their nodes.
    private let database: String
    private let folder: TemporaryFolder
    private let arguments: [String]
    /// True if the nodes listen on Unix sockets, so that another one can listen in the same place.
    private let hasSockets: Bool
    private let nodes: Lock<[RunningServer]>
    /// The processes that have taken over from nodes.
    private let successors = Lock([Int: Int32]())

    init(_ count: Int, _ arguments: [String] = [], onSockets: Bool = false) throws {
        hasSockets = onSockets
        database = try PostgresServer.shared.newDatabase()
        folder = try TemporaryFolder()
        self.arguments = arguments
        nodes = Lock([])
        for number in 0..<count {
            let node = try start(number)
            nodes.withLock { $0.append(node) }
        }
    }

    var count: Int { nodes.withLock { $0.count } }

    func served(_ number: Int) -> RunningServer { nodes.withLock { $0[number] } }

    deinit { end(SIGKILL) }

    /// The folder of a node, where it has its control socket.
    private func place(_ number: Int) -> String { folder.file("node\(number)") }

    private func start(_ number: Int) throws -> RunningServer {
        let place = place(number)
        mkdir(place, 0o700)
        let address = hasSockets ? "unix:\(place)/http" : "127.0.0.1:0"
        return try RunningServer(
            RunningProgram(
                "/usr/bin/env",
                [
                    "-C", place, try Program.path(), "serve", "--listen", address,
                    "--database", url(number),
                ] + arguments,
                environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey]))
    }

    private func url(_ number: Int) -> String { database + "&application_name=node\(number)" }

    /// Runs a command with the database, in a folder where no node is.
    func run(_ arguments: String...) throws -> Program.Ended {
        try run(arguments, in: folder.path)
    }

    private func run(_ arguments: [String], in place: String) throws -> Program.Ended {
        let program = try RunningProgram(
            "/usr/bin/env",
            ["-C", place, try Program.path()] + arguments + ["--database", database])
        let (output, errors) = (program.output.rest(), program.errors.rest())
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    // MARK: Replacing nodes

    /// Lets a new process take over from the node.
    func upgrade(_ number: Int) throws {
        let ended = try run(["upgrade"], in: place(number))
        let words = (ended.output.first ?? "").split(separator: " ")
        guard ended.status == 0, words.count == 3, let process = Int32(words[1]) else {
            throw TestFailure("no successor: \(ended)")
        }
        successors.withLock { $0[number] = process }
    }

    /// Stops the node, and starts another one in its place.
    func restart(_ number: Int) throws {
        guard served(number).stop() == 0 else { throw TestFailure("node \(number) failed") }
        let node = try start(number)
        nodes.withLock { $0[number] = node }
    }

    // MARK: Faults

    /// Stops the node for the time of the body, as if its machine did nothing.
    func pause(_ number: Int, _ body: () throws -> Void) rethrows {
        let program = served(number).program
        program.signal(SIGSTOP)
        defer { program.signal(SIGCONT) }
        try body()
    }

    /// Kills the node, and starts another one in its place.
    func replace(_ number: Int) throws {
        kill(number)
        let node = try start(number)
        nodes.withLock { $0[number] = node }
    }

    func kill(_ number: Int) {
        let program = served(number).program
        program.signal(SIGKILL)
        program.wait()
    }

    /// Ends all connections of the node to the database.
    func cut(_ number: Int) throws {
        try PostgresServer.shared.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'node\(number)' AND datname = '\(databaseName)'
            """)
    }

    private var databaseName: String {
        String(database.dropFirst("postgresql:///".count).prefix { $0 != "?" })
    }

    func stop() {
        end(SIGTERM)
        for node in nodes.withLock({ $0 }) { _ = node.stop() }
    }

    private func end(_ signal: Int32) {
        let processes = successors.withLock { successors in
            defer { successors = [:] }
            return successors.values
        }
        for process in processes { Glibc.kill(process, signal) }
    }
}
