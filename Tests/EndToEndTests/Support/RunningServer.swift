import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc

/// A server on free ports, run by the binary. It is killed when this object is released.
struct RunningServer {
    let program: RunningProgram
    let addresses: [SocketAddress]
    var client: TestClient { TestClient(addresses[0]) }

    static let adminKey = "the-admin-key-of-end-to-end-tests"

    /// The backup of an empty database that the binary created. It was never served: each server
    /// of a copy begins a history of its own and makes its own secrets.
    private static let template = Result { () throws -> FileTemplate in
        let folder = try TemporaryFolder()
        let (database, backup) = (folder.file("new.db"), folder.file("backup.db"))
        try write("", to: folder.file("nothing.ndjson"))
        for command in [["import", folder.file("nothing.ndjson")], ["backup", backup]] {
            let program = try Program.start(command + ["--database", database])
            guard program.wait() == 0 else {
                throw TestFailure("no template: \(program.errors.rest())")
            }
        }
        return try FileTemplate(of: backup)
    }

    /// - Parameters:
    ///   - database: the path of a file. If it is missing, it is copied from a migrated one.
    ///   - listen: one or more `ADDRESS`es.
    ///   - adminKey: with `nil` the server creates its own.
    ///   - createsDatabase: whether the server itself creates a missing file.
    init(
        _ database: String, listen: [String] = ["127.0.0.1:0"], _ arguments: [String] = [],
        adminKey: String? = RunningServer.adminKey, createsDatabase: Bool = false
    ) throws {
        if !createsDatabase { try Self.template.get().copy(to: database) }
        let addresses = listen.flatMap { ["--listen", $0] }
        try self.init(
            Program.start(
                ["serve", "--database", database] + addresses + arguments,
                environment: adminKey.map { ["BROADSHEET_ADMIN_KEY": $0] } ?? [:]),
            listeners: listen.count)
    }

    /// Waits until the started program listens.
    init(_ program: RunningProgram, listeners: Int = 1) throws {
        self.program = program
        var listening: [SocketAddress] = []
        while listening.count < listeners {
            guard let line = program.output.next(), line.hasPrefix("listening on ") else {
                throw TestFailure("not serving: \(program.errors.rest())")
            }
            let address = line.dropFirst("listening on ".count)
            let scheme = ["http://", "https://"].first { address.hasPrefix($0) }
            let text = address.dropFirst(scheme?.count ?? 0)
            listening += try SocketAddress.resolve(String(text))
        }
        self.addresses = listening
    }

    /// A server with TLS, whose self-signed certificate is in `server.pem`.
    static func secure(
        _ database: String, _ folder: TemporaryFolder, _ arguments: [String] = []
    ) throws -> RunningServer {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("server"))
        guard made.status == 0 else { throw TestFailure("no certificate: \(made.errors)") }
        let files = [
            "--tls-certificate", folder.file("server.pem"), "--tls-key", folder.file("server.key"),
        ]
        return try RunningServer(database, files + arguments)
    }

    /// Sends JSON with the admin key.
    func send(
        _ method: HTTPMethod, _ target: String, _ body: String = "", type: String? = nil,
        key: String = RunningServer.adminKey
    ) throws -> ReceivedResponse {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(key)"
        if !body.isEmpty { fields[.contentType] = type ?? "application/json" }
        return try client.send(method, target, fields: fields, body: Array(body.utf8))
    }

    /// Stops the server, and returns its exit status.
    func stop() -> Int32 {
        program.signal(SIGTERM)
        return program.wait()
    }

    /// Reads standard error up to the line that contains the text.
    func waitForError(_ text: String) throws {
        while let line = program.errors.next() {
            if line.contains(text) { return }
        }
        throw TestFailure("the log never contained \(text)")
    }
}
