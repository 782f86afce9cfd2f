import Glibc
import HTTP
import Platform
import Sockets
import TestSupport

/// Servers over one new database.
final class NodeCluster: Sendable {
    /// The PostgreSQL database, whose sessions have the names of their nodes.
    private let database: String
    private let folder: TemporaryFolder
    private let arguments: [String]
    private let nodes: Lock<[Served]>

    init(_ count: Int, _ arguments: [String] = []) throws {
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

    func served(_ number: Int) -> Served { nodes.withLock { $0[number] } }

    /// Starts a node in a folder of its own, where it has its socket.
    private func start(_ number: Int) throws -> Served {
        let place = folder.file("node\(number)")
        mkdir(place, 0o700)
        return try Served(
            RunningProgram(
                "/usr/bin/env",
                [
                    "-C", place, try Program.path(), "serve", "--listen", "127.0.0.1:0",
                    "--database", database + "&application_name=node\(number)",
                ] + arguments,
                environment: ["BROADSHEET_ADMIN_KEY": Served.adminKey]))
    }

    /// Runs a command with the database, in a folder where no node is.
    func run(_ arguments: String...) throws -> Program.Ended {
        let program = try RunningProgram(
            "/usr/bin/env",
            ["-C", folder.path, try Program.path()] + arguments + ["--database", database])
        let (output, errors) = (program.output.rest(), program.errors.rest())
        return Program.Ended(status: program.wait(), output: output, errors: errors)
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
        for node in nodes.withLock({ $0 }) { _ = node.stop() }
    }
}
