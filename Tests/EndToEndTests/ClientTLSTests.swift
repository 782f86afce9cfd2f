import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// The client commands with a server whose certificate the system does not trust.
@Suite(.mayBlock) struct ClientTLSTests {
    private let folder: TemporaryFolder
    private let served: RunningServer
    private let server: String

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a", "other"] {
            let made = try Program.run(
                "certificate", "--self-signed", "localhost", "--out", folder.file(name))
            try #require(made.status == 0, "\(made.errors)")
        }
        served = try RunningServer(
            folder.file("a.db"),
            [
                "--samples", "--tls-certificate", folder.file("a.pem"), "--tls-key",
                folder.file("a.key"),
            ])
        server = "https://localhost:\(served.addresses[0].port)"
    }

    private func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> Program.Ended {
        let all = environment.merging(
            ["BROADSHEET_SERVER": server, "XDG_CONFIG_HOME": folder.file("config")]
        ) { given, _ in given }
        let program = try Program.start(arguments, environment: all)
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    private func login(_ arguments: String = "") throws -> Program.Ended {
        let shell = try RunningProgram(
            "/bin/sh",
            ["-c", "echo \(RunningServer.adminKey) | \(try Program.path()) login \(arguments)"],
            environment: [
                "BROADSHEET_SERVER": server, "XDG_CONFIG_HOME": folder.file("config"),
            ])
        let output = shell.output.rest()
        let errors = shell.errors.rest()
        return Program.Ended(status: shell.wait(), output: output, errors: errors)
    }

    /// Returns true if a command failed with one line that contains the text.
    private func isRejected(_ ended: Program.Ended, status: Int32, _ words: String...) -> Bool {
        ended.status == status && ended.output == [] && ended.errors.count == 1
            && words.allSatisfy { ended.errors[0].contains($0) }
    }

    @Test func `the authorities in a file are trusted by get, login and create`() throws {
        let authorities = folder.file("a.pem")
        let list = try run("articles", "list", "--ca", authorities)
        #expect(list.status == 0 && list.errors == [] && list.output.count == 1)
        #expect(try login("--ca \(authorities)").status == 0)
        let draft = folder.file("draft.md")
        try write("---\ntitle: By TLS\n---\n\nHello.\n", to: draft)
        #expect(try run("articles", "create", draft, "--ca", authorities).status == 0)
        let get = try run("articles", "get", "by-tls", environment: ["BROADSHEET_CA": authorities])
        #expect(get.output.first?.contains("Hello.") == true)
        let configuration = folder.file("client.json")
        try write(#"{"ca": "\#(authorities)"}"#, to: configuration)
        #expect(try run("articles", "get", "by-tls", "--config", configuration).status == 0)
    }

    @Test func `an untrusted server is rejected and receives no key`() throws {
        let reason = "the certificate is not trusted: self-signed"
        #expect(isRejected(try run("articles", "list"), status: 69, reason))
        #expect(isRejected(try login(), status: 69, reason))
        #expect(access(folder.file("config"), F_OK) != 0)
        let other = try run("articles", "list", "--ca", folder.file("other.pem"))
        #expect(isRejected(other, status: 69, "the certificate is not trusted"))
    }

    @Test func `a file of authorities replaces those of the system`() throws {
        let system = ["SSL_CERT_FILE": folder.file("a.pem")]
        #expect(try run("articles", "list", environment: system).status == 0)
        let other = try run(
            "articles", "list", "--ca", folder.file("other.pem"), environment: system)
        #expect(isRejected(other, status: 69, "the certificate is not trusted"))
    }

    @Test func `a server with another name is rejected`() throws {
        let address = "https://127.0.0.1:\(served.addresses[0].port)"
        let wrong = try run(
            "articles", "list", "--server", address, "--ca", folder.file("a.pem"))
        #expect(isRejected(wrong, status: 69, "the certificate is not trusted", "mismatch"))
    }

    @Test func `a file that is missing or has no certificate is named`() throws {
        try write("nothing to trust", to: folder.file("text.pem"))
        let whole = try read(folder.file("a.pem"))
        try write(String(whole.prefix(whole.count / 2)), to: folder.file("half.pem"))
        for (name, status, words) in [
            ("text.pem", 78, "contains no PEM certificate"),
            ("half.pem", 78, "contains no PEM certificate"),
            ("a.key", 78, "contains no PEM certificate"), ("none.pem", 66, "No such file"),
        ] as [(String, Int32, String)] {
            let path = folder.file(name)
            let list = try run("articles", "list", "--ca", path)
            #expect(isRejected(list, status: status, path, words), "\(list)")
            let login = try login("--ca \(path)")
            #expect(isRejected(login, status: status, path, words), "\(login)")
        }
    }
}
