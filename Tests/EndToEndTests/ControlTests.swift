import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// The control socket, through which commands reach the server of a database.
@Suite(.mayBlock) struct ControlTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    @Test func `the control socket exists for its owner only, while the server runs`() throws {
        let served = try RunningServer(database)
        let socket = database + ".control"
        var status = stat()
        #expect(lstat(socket, &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600)
        let client = TestClient(.unix(socket))
        #expect(try client.get("/v1/admin/state").text == #"{"sequence":0,"articles":0}"#)
        #expect(try served.client.get("/v1/admin/state").status == 401)
        #expect(served.stop() == 0)
        #expect(lstat(socket, &status) != 0)
    }

    @Test func `a server runs even if the path is too long for a control socket`() throws {
        let long = folder.file(String(repeating: "x", count: 100))
        let served = try RunningServer(long)
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
        #expect(served.program.errors.rest().contains { $0.contains("no control socket") })
    }

    @Test func `a key created for a running server works at once, until it is revoked`()
        throws
    {
        let served = try RunningServer(database)
        let made = try Program.run("key", "create", "--role", "editor", "--database", database)
        #expect(made.status == 0, "\(made.errors)")
        let key = try #require(made.output.first)
        let body = #"{"title":"Mine"}"#
        #expect(try served.send(.post, "/v1/articles", body, key: key).status == 201)
        let listed = try Program.run("key", "list", "--database", database)
        #expect(listed.output.contains { $0.contains("editor") && $0.contains("live") })
        let id = String(key.dropFirst(4).prefix(16))
        #expect(try Program.run("key", "revoke", id, "--database", database).status == 0)
        #expect(try served.send(.post, "/v1/articles", body, key: key).status == 401)
        let unknown = try Program.run("key", "revoke", "0123456789abcdef", "--database", database)
        #expect(unknown.status == 65)
        #expect(unknown.errors == ["broadsheet: there is no entry with this id"])
        #expect(served.stop() == 0)
    }

    @Test func `a key that is revoked while a body arrives writes nothing`() throws {
        let served = try RunningServer(database)
        let made = try Program.run("key", "create", "--role", "editor", "--database", database)
        let key = try #require(made.output.first)
        let body = #"{"title":"Too late"}"#
        let connection = try RawConnection(served.addresses[0])
        try connection.send(
            "POST /v1/articles HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n"
                + "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n")
        let asked = try connection.receive(limit: 25)
        #expect(String(decoding: asked, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
        let id = String(key.dropFirst(4).prefix(16))
        #expect(try Program.run("key", "revoke", id, "--database", database).status == 0)
        try connection.send(body)
        let response = try connection.response(to: .post)
        #expect(response.status == 401)
        #expect(response.text.contains("The API key was revoked."))
        let state = try TestClient(.unix(database + ".control")).get("/v1/admin/state")
        #expect(state.text.contains(#""articles":0"#))
        #expect(served.stop() == 0)
    }

    @Test func `a cached public response hides no draft from the operator`() throws {
        let served = try RunningServer(database)
        for json in [
            #"{"title":"Open","status":"published"}"#, #"{"title":"Hidden","status":"draft"}"#,
        ] {
            #expect(try served.send(.post, "/v1/articles", json).status == 201)
        }
        let target = "/v1/articles?limit=7"
        let control = TestClient(.unix(database + ".control"))
        for _ in 0..<3 {
            let everybody = try served.client.get(target)
            #expect(everybody.text.contains("Open") && !everybody.text.contains("Hidden"))
            let operators = try control.get(target)
            #expect(operators.text.contains("Open") && operators.text.contains("Hidden"))
            #expect(operators.fields[.cacheControl]?.contains("private") == true)
        }
        #expect(served.stop() == 0)
    }

    @Test func `an import into a served database is visible at once, and safe to repeat`()
        throws
    {
        let served = try RunningServer(database)
        #expect(try served.client.get("/v1/articles").text == #"{"items":[]}"#)
        let posts = folder.file("posts.ndjson")
        try write(
            #"{"title":"One","status":"published"}"# + "\n" + #"{"title":"","status":"x"}"# + "\n"
                + #"{"slug":"one","title":"Two"}"# + "\n", to: posts)
        let first = try Program.run("import", posts, "--database", database)
        #expect(first.status == 65)
        #expect(first.output == ["1 article: 1 created"])
        #expect(first.errors.count == 3, "\(first.errors)")
        #expect(first.errors.contains { $0.contains("the slug \"one\" is taken") })
        #expect(try served.client.get("/v1/articles").text.contains(#""title":"One""#))
        let again = try Program.run("import", posts, "--database", database)
        #expect(again.output == ["nothing changed (1 article)"])
        #expect(served.stop() == 0)
    }

    @Test func `a history tells imports and keys apart, also after an export and an import`()
        throws
    {
        let served = try RunningServer(database)
        let id = "0198c0de-0000-7000-8000-000000000001"
        let posts = folder.file("posts.ndjson")
        try write(#"{"id":"\#(id)","title":"One"}"#, to: posts)
        #expect(try Program.run("import", posts, "--database", database).status == 0)
        let made = try Program.run(
            "key", "create", "--role", "editor", "--name", "desk", "--database", database)
        let key = try #require(made.output.first)
        let keyID = String(key.dropFirst(4).prefix(16))
        let path = "/v1/articles/\(id)"
        #expect(try served.send(.patch, path, #"{"title":"Two"}"#, key: key).status == 200)
        #expect(try served.send(.patch, path, #"{"title":"Three"}"#).status == 200)
        #expect(try Program.run("key", "revoke", keyID, "--database", database).status == 0)
        let history = try served.send(.get, "\(path)/revisions").text
        let actors = history.matches(of: #/"actor":({.*?})/#).map { String($0.1) }
        let theOperator = #"{"kind":"operator","name":"operator"}"#
        #expect(
            actors == [
                theOperator, #"{"kind":"key","id":"\#(keyID)","name":"desk"}"#, theOperator,
            ])

        let everything = folder.file("everything.ndjson")
        #expect(try Program.run("export", everything, "--database", database).status == 0)
        let copy = folder.file("copy.db")
        let other = try RunningServer(copy)
        #expect(try Program.run("import", everything, "--database", copy).status == 0)
        #expect(try other.send(.get, "\(path)/revisions").text == history)
        #expect(served.stop() == 0)
        #expect(other.stop() == 0)
    }

    @Test func `an export of a served database equals an export of the idle one`() throws {
        let served = try RunningServer(database, ["--samples"])
        let first = folder.file("served.ndjson")
        let exported = try Program.run("export", first, "--database", database)
        #expect(exported.status == 0)
        #expect(exported.errors == ["\(first): 17 articles, 17 revisions"])
        let checked = try Program.run("check", "--database", database)
        #expect(
            checked.output == [
                "\(database): ok (17 articles, 17 revisions, 21 changes)"
            ])

        let copy = folder.file("copy.db")
        let other = try RunningServer(copy)
        let restored = try Program.run("import", first, "--database", copy)
        #expect(restored.status == 0 && restored.output == ["17 articles: 17 created"])
        #expect(try other.client.get("/v1/articles/your-first-request").status == 200)
        #expect(served.stop() == 0)
        #expect(other.stop() == 0)
        for database in [database, copy] {
            let second = folder.file("free.ndjson")
            #expect(try Program.run("export", second, "--database", database).status == 0)
            #expect(try read(second) == read(first))
        }
    }
}
