import BroadsheetTestSupport
import Glibc

/// The binary, run in a folder, where the server of a PostgreSQL database has its socket.
struct MigrationCommands {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env", ["-C", folder.path, try Program.path()] + arguments,
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
    }

    func run(_ arguments: String...) throws -> Program.Ended { try run(arguments) }

    func run(_ arguments: [String]) throws -> Program.Ended {
        let program = try start(arguments)
        let (output, errors) = (program.output.rest(), program.errors.rest())
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    func serve(_ database: String, _ arguments: [String] = []) throws -> RunningServer {
        try RunningServer(
            start(["serve", "--listen", "127.0.0.1:0", "--database", database] + arguments))
    }

    func export(_ database: String) throws -> String {
        let path = folder.file("export.ndjson")
        let ended = try run("export", path, "--database", database)
        guard ended.status == 0 else { throw TestFailure("export: \(ended.errors)") }
        return try read(path)
    }

    /// Starts a migration, and waits until the target follows.
    func follow(from source: String, to target: String) throws -> RunningProgram {
        let program = try start(["migrate", "--from", source, "--to", target])
        var errors: [String] = []
        while let line = program.errors.next() {
            if line.contains("; broadsheet upgrade --from") { return program }
            errors.append(line)
        }
        throw TestFailure("the target does not follow: \(errors)")
    }

    /// Lets a new process serve the target, and returns its id.
    func takeOver(from source: String, to target: String) throws -> Int32 {
        let ended = try run("upgrade", "--from", source, "--database", target)
        let words = ended.output.last?.split(separator: " ") ?? []
        guard ended.status == 0, words.count == 3, let process = Int32(words[1]) else {
            throw TestFailure("no takeover: \(ended)")
        }
        return process
    }
}
