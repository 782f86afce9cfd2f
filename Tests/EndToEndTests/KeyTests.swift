import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

@Suite(.mayBlock) struct KeyTests {
    let folder: TemporaryFolder
    let database: String
    var keyFile: String { database + ".admin-key" }

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
    }

    /// Creates the database.
    private func serveOnce() throws { #expect(try RunningServer(database).stop() == 0) }

    @Test func `the first start creates an admin key, in a file for its owner only`() throws {
        let served = try RunningServer(database, adminKey: nil, createsDatabase: true)
        var status = stat()
        #expect(stat(keyFile, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let key = String(try read(keyFile).dropLast())
        #expect(key.hasPrefix("bsk_") && key.utf8.count == 64)
        #expect(
            try served.send(.post, "/v1/articles", #"{"title":"Mine"}"#, key: key).status == 201)
        #expect(served.stop() == 0)
        let lines = served.program.errors.rest()
        #expect(lines.contains { $0.contains(keyFile) })
        #expect(!lines.contains { $0.contains(key) })
    }

    @Test func `a terminal shows the key once, and no file is created`() throws {
        // script(1) runs the binary on a terminal.
        let command =
            "exec \(try Program.path()) serve --listen 127.0.0.1:0 --database \(database)"
        let terminal = try RunningProgram("/usr/bin/script", ["-qefc", command, "/dev/null"])
        var key: String?
        while key == nil, let line = terminal.output.next() {
            key = line.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("bsk_") }
                .map(String.init)
        }
        #expect(key?.utf8.count == 64)
        #expect(access(keyFile, F_OK) != 0)
        terminal.signal(SIGTERM)
        terminal.wait()
    }

    @Test func `later starts create no key, and the first one stays valid`() throws {
        #expect(try RunningServer(database, adminKey: nil).stop() == 0)
        let key = String(try read(keyFile).dropLast())
        unlink(keyFile)
        let served = try RunningServer(database, adminKey: nil)
        #expect(access(keyFile, F_OK) != 0)
        #expect(try served.send(.get, "/v1/articles?status=draft", key: key).status == 200)
        #expect(served.stop() == 0)
    }

    @Test func `an unattended start reads the key from a file, and creates none`() throws {
        let file = folder.file("admin")
        try write("from-a-file-0123456789-0123456789\n", to: file)
        let served = try RunningServer(database, ["--admin-key-file", file], adminKey: nil)
        let key = "from-a-file-0123456789-0123456789"
        #expect(
            try served.send(.post, "/v1/articles", #"{"title":"Mine"}"#, key: key).status == 201)
        #expect(access(keyFile, F_OK) != 0)
        #expect(served.stop() == 0)
        #expect(try Program.run("key", "list", "--database", database).output == [])
    }

    @Test func `a key file from a flag overrides the key from a variable`() throws {
        let file = folder.file("admin")
        let key = "from-a-file-0123456789-0123456789"
        try write(key, to: file)
        let served = try RunningServer(database, ["--admin-key-file", file])
        let mine = try served.send(.post, "/v1/articles", #"{"title":"Mine"}"#, key: key)
        #expect(mine.status == 201)
        let other = try served.send(.post, "/v1/articles", #"{"title":"Not mine"}"#)
        #expect(other.status == 401)
        #expect(served.stop() == 0)
    }

    @Test func `a key is created, printed alone, used, listed and revoked`() throws {
        try serveOnce()
        let made = try Program.run(
            "key", "create", "--role", "editor", "--name", "Mina's laptop", "--database", database)
        #expect(made.status == 0 && made.errors == [] && made.output.count == 1)
        let key = try #require(made.output.first)
        try expectStatus(201, key)

        let listed = try Program.run("key", "list", "--database", database)
        let line = try #require(listed.output.first { $0.contains("Mina's laptop") })
        #expect(line.contains("editor") && line.contains("live") && !line.contains(key.suffix(43)))

        let id = String(key.dropFirst(4).prefix(16))
        #expect(try Program.run("key", "revoke", id, "--database", database).status == 0)
        try expectStatus(401, key)
        #expect(
            try Program.run("key", "list", "--database", database).output.joined()
                .contains("revoked"))
        let unknown = try Program.run("key", "revoke", "0123456789abcdef", "--database", database)
        #expect(unknown.status == 65 && unknown.errors.count == 1)
    }

    @Test func `a reader's key cannot write`() throws {
        try serveOnce()
        let made = try Program.run("key", "create", "--role", "reader", "--database", database)
        try expectStatus(403, #require(made.output.first))
    }

    /// The response to creating an article with the key.
    private func expectStatus(_ status: Int, _ key: String) throws {
        let served = try RunningServer(database)
        let response = try served.send(.post, "/v1/articles", #"{"title":"T"}"#, key: key)
        #expect(response.status == status)
        // RFC 6750 §3: 401 and 403 carry a challenge.
        #expect(
            response.fields[.wwwAuthenticate]?.hasPrefix("Bearer") == (status == 201 ? nil : true))
        #expect(served.stop() == 0)
    }

    @Test(arguments: ["/dev/full", "&-"])
    func `a key that cannot be printed is not valid`(output: String) throws {
        try serveOnce()
        let made = try Shell.start(
            #"exec "$binary" key create --role admin --database "$folder/articles.db" >\#(output)"#,
            folder: folder.path)
        #expect(made.errors.rest().last?.contains("cannot write") == true)
        #expect(made.wait() == 74)
        let listed = try Program.run("key", "list", "--database", database)
        #expect(listed.status == 0 && listed.output == [])
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `a file with a secret is written completely or not at all`() throws {
        let make = #""$binary" certificate --self-signed localhost --out "$folder/lh""#
        let limited = try Shell.start("ulimit -f 0; exec \(make)", folder: folder.path)
        #expect(limited.wait() != 0)
        #expect(!limited.errors.rest().isEmpty)
        let empty = try Shell.start(#"exec ls -A "$folder""#, folder: folder.path)
        #expect(empty.output.rest() == [])
        let again = try Shell.start("exec \(make)", folder: folder.path)
        #expect(again.wait() == 0)
        #expect(try read(folder.file("lh.key")).hasSuffix("-----END PRIVATE KEY-----\n"))
    }
}
