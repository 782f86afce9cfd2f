import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// `broadsheet user`, `login --name`, `comments` and `bookmarks`, with and without a server.
@Suite(.mayBlock) struct UserCommandTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    /// Runs the command with this standard input.
    private func run(
        _ arguments: String, input: String = "", server: String = "", key: String = ""
    ) throws -> Program.Ended {
        let program = try RunningProgram(
            "/bin/sh", ["-c", "printf %s \"$input\" | \"$binary\" \(arguments)"],
            environment: [
                "binary": Program.path(), "input": input, "BROADSHEET_SERVER": server,
                "BROADSHEET_KEY": key, "BROADSHEET_DATABASE": database,
                "XDG_CONFIG_HOME": folder.file("config"),
            ])
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    private func status(_ served: RunningServer, _ name: String, _ password: String) throws -> Int {
        let body = #"{"name":"\#(name)","password":"\#(password)"}"#
        return try served.client.send(
            .post, "/v1/sessions", fields: [.contentType: "application/json"],
            body: Array(body.utf8)
        ).status
    }

    @Test(arguments: [false, true])
    func `users are created, listed and changed, while a server runs and without one`(
        isServed: Bool
    ) throws {
        var served = try RunningServer(database)
        if !isServed { #expect(served.stop() == 0) }
        let created = try run(
            "user create mina --role author --display-name 'Mina K.'", input: "correct horse\n")
        #expect(created.status == 0, "\(created)")
        #expect(created.output.count == 1 && created.output[0].hasPrefix("created "))
        let again = try run("user create MINA", input: "correct horse")
        #expect(again.status == 65 && again.errors.count == 1)
        let short = try run("user create ada", input: "short")
        #expect(short.status == 65 && short.errors.first?.contains("/password") == true)
        #expect(try run("user create ada").status == 64)
        #expect(try run("user role mina editor").status == 0)
        #expect(try run("user role mina chief").status == 64)
        #expect(try run("user role nobody editor").status == 65)
        let listed = try run("user list")
        #expect(listed.output.count == 1)
        #expect(listed.output[0].contains("editor") && listed.output[0].contains("active"))
        #expect(listed.output[0].hasSuffix("mina\tMina K."))
        #expect(try run("user disable mina").output.first?.contains("disabled") == true)
        #expect(try run("user enable Mina").output.first?.contains("active") == true)
        #expect(try run("user reset-password mina", input: "another horse").status == 0)
        let code = try #require(try run("user invite --role editor").output.first)
        #expect(code.hasPrefix("bsi_"))

        if !isServed { served = try RunningServer(database) }
        #expect(try status(served, "mina", "correct horse") == 401)
        #expect(try status(served, "mina", "another horse") == 201)
        let body = #"{"name":"ada","password":"correct horse","invitation":"\#(code)"}"#
        let invited = try served.client.send(
            .post, "/v1/users", fields: [.contentType: "application/json"],
            body: Array(body.utf8))
        #expect(invited.status == 201 && invited.text.contains(#""role":"editor""#))
        #expect(served.stop() == 0)
    }

    @Test func `a key acts for its owner`() throws {
        let served = try RunningServer(database)
        #expect(try run("user create mina", input: "correct horse").status == 0)
        let made = try run("key create --role reader --owner Mina")
        let key = try #require(made.output.first)
        #expect(try served.send(.get, "/v1/me", key: key).text.contains(#""name":"mina""#))
        #expect(try run("key create --role reader --owner nobody").status == 65)
        let owner = try #require(run("user list").output.first?.split(separator: " ").first)
        #expect(try run("key list").output.last?.hasSuffix("reader\tfor \(owner)") == true)
        #expect(served.stop() == 0)
    }

    @Test func `a terminal asks for a password twice, and shows neither`() throws {
        #expect(try RunningServer(database).stop() == 0)
        let create = ["user", "create", "mina", "--database", database]
        let terminal = try PseudoTerminal(Program.path(), create)
        try terminal.screen(with: "New password of mina: ")
        try terminal.type("correct horse\n")
        try terminal.screen(with: "Repeat the password: ")
        try terminal.type("correct horse\n")
        try terminal.screen(with: "created ")
        #expect(terminal.wait() == 0)
        #expect(!String(decoding: terminal.shown, as: UTF8.self).contains("horse"))
        let differing = try PseudoTerminal(Program.path(), create)
        try differing.screen(with: "New password of mina: ")
        try differing.type("correct horse\n")
        try differing.screen(with: "Repeat the password: ")
        try differing.type("correct house\n")
        try differing.screen(with: "the two passwords differ")
        // The wait status has the exit status in its second byte (wait(2)).
        #expect(differing.wait() == 65 << 8)
    }

    @Test func `a user logs in, comments, bookmarks and logs out`() throws {
        let served = try RunningServer(database, ["--comments", "moderated"])
        let server = "http://\(served.addresses[0])"
        func client(
            _ arguments: String, input: String = "", key: String = ""
        ) throws -> Program.Ended {
            try run(arguments, input: input, server: server, key: key)
        }
        let article = #"{"title":"Bread","slug":"bread","status":"published"}"#
        #expect(try served.send(.post, "/v1/articles", article).status == 201)
        #expect(try run("user create mina", input: "correct horse").status == 0)

        #expect(try client("login --name mina", input: "wrong horse").status == 77)
        #expect(try client("login --name mina").status == 64)
        #expect(try client("bookmarks").status == 77)
        let login = try client("login --name mina", input: "correct horse\n")
        #expect(login.status == 0 && login.output == [] && login.errors.count == 1, "\(login)")
        let first = try token()
        #expect(try served.send(.get, "/v1/me", key: first).text.contains(#""name":"mina""#))
        #expect(try client("login --name mina", input: "correct horse\n").status == 0)
        #expect(try served.send(.get, "/v1/me", key: first).status == 401)
        #expect(try served.send(.get, "/v1/me", key: token()).status == 200)

        let added = try client("comments add bread", input: "What about *rye*?\n")
        #expect(added.status == 0, "\(added)")
        #expect(added.output.first?.contains(#""status":"pending""#) == true)
        #expect(try client("comments add bread").status == 65)
        #expect(try client("comments --pending").status == 77)
        let pending = try client("comments --pending", key: RunningServer.adminKey).output.joined()
        let id = try #require(pending.firstMatch(of: /"id":"([^"]+)"/)?.output.1)
        #expect(try client("comments show \(id)").status == 77)
        #expect(try client("comments show \(id)", key: RunningServer.adminKey).status == 0)
        let reply = try client("comments add bread --reply-to \(id)", input: "And salt?")
        #expect(reply.output.first?.contains(#""parentID":"\#(id)""#) == true)
        let listed = try client("comments list bread").output.joined()
        #expect(listed.contains("What about *rye*?") && listed.contains("And salt?"))
        #expect(try client("comments hide \(id)", key: RunningServer.adminKey).status == 0)
        #expect(try client("comments delete \(id)").status == 0)
        #expect(try client("comments hide bread").status == 64)

        #expect(try client("bookmarks add bread --position 0.4").status == 0)
        #expect(try client("bookmarks").output.first?.contains(#""position":0.4"#) == true)
        #expect(try client("bookmarks add bread --position 2").status == 64)
        let command = try "\(Program.path()) bookmarks list --server \(server)"
        let table = try RunningProgram(
            "/usr/bin/script", ["-qefc", command, "/dev/null"],
            environment: ["XDG_CONFIG_HOME": folder.file("config")])
        #expect(table.output.rest().contains { $0.contains("40 %") && $0.contains("Bread") })
        #expect(try client("bookmarks remove bread").status == 0)
        #expect(try client("bookmarks list").output.first?.contains(#""items":[]"#) == true)

        let last = try token()
        #expect(try client("logout").status == 0)
        #expect(try served.send(.get, "/v1/me", key: last).status == 401)
        #expect(try client("bookmarks").status == 77)
        #expect(served.stop() == 0)
    }

    @Test func `a session of login is renewed, and logout works without the server`() throws {
        let served = try RunningServer(database)
        let server = "http://\(served.addresses[0])"
        #expect(try run("user create mina", input: "correct horse").status == 0)
        #expect(
            try run("login --name mina", input: "correct horse", server: server).status == 0)
        let path = try keyFile()
        let old = try token()
        let text = try read(path)
        let expiry = try #require(text.firstMatch(of: /"expiresAt":"([^"]+)"/)?.output.1)
        try write(text.replacing(expiry, with: "2001-01-01T00:00:00Z"), to: path)
        #expect(try run("bookmarks", server: server).status == 0)
        #expect(try token() != old)
        #expect(served.stop() == 0)
        let logout = try run("logout", server: server)
        #expect(logout.status == 0 && logout.errors.count == 2, "\(logout)")
        #expect(access(path, F_OK) != 0)
    }

    /// The file of `login`.
    private func keyFile() throws -> String {
        let files = try Shell.start(#"exec ls "$folder"/config/broadsheet/*"#, folder: folder.path)
        return try #require(files.output.rest().first)
    }

    private func token() throws -> String {
        let text = try read(keyFile())
        return String(try #require(text.firstMatch(of: /"token":"([^"]+)"/)?.output.1))
    }
}
