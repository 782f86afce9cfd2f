import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Administration over the network, with an admin's key.
@Suite(.mayBlock) struct AdminTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    private func get(
        _ target: String, _ served: RunningServer, key: String?,
        _ forwarded: HTTPFields = HTTPFields()
    ) throws -> ReceivedResponse {
        var fields = forwarded
        if let key { fields[.authorization] = "Bearer \(key)" }
        return try served.client.send(.get, target, fields: fields)
    }

    @Test func `only admins administer, on loopback as on the control socket`() throws {
        let served = try RunningServer(database, ["--samples"])
        var keys: [String: String] = [:]
        for role in ["reader", "editor", "admin"] {
            let made = try Program.run("key", "create", "--role", role, "--database", database)
            let key: String = try #require(made.output.first)
            keys[role] = key
        }
        for target in ["/v1/admin/state", "/v1/admin/keys", "/v1/admin/check", "/v1/admin/export"] {
            #expect(try get(target, served, key: nil).status == 401)
            #expect(try get(target, served, key: keys["reader"]).status == 403)
            #expect(try get(target, served, key: keys["editor"]).status == 403)
            let response = try get(target, served, key: keys["admin"])
            #expect(response.status == 200 && response.fields[.cacheControl] == "no-store")
        }
        #expect(served.stop() == 0)
    }

    @Test func `a key that was sent unencrypted from elsewhere administers nothing`() throws {
        let served = try RunningServer(database, ["--trusted-proxy", "127.0.0.0/8"])
        let made = try Program.run("key", "create", "--role", "editor", "--database", database)
        let editor = try #require(made.output.first)
        let elsewhere: HTTPFields = [.xForwardedFor: "203.0.113.9"]
        var secure = elsewhere
        secure[.xForwardedProto] = "https"
        for target in ["/v1/admin/state", "/v1/admin/export"] {
            let exposed = try get(target, served, key: RunningServer.adminKey, elsewhere)
            #expect(exposed.status == 403)
            #expect(exposed.text.contains("/problems/insecure-transport"))
            #expect(try get(target, served, key: editor, elsewhere).status == 403)
            #expect(try get(target, served, key: nil, elsewhere).status == 401)
            #expect(try get(target, served, key: RunningServer.adminKey, secure).status == 200)
            #expect(try get(target, served, key: editor, secure).status == 403)
        }
        #expect(served.stop() == 0)
    }

    @Test func `a backup and an export over the network equal those of the commands`() throws {
        let served = try RunningServer(database, ["--samples"])
        let copy = try served.send(.post, "/v1/admin/backups")
        #expect(copy.status == 200 && copy.fields[.cacheControl] == "no-store")
        #expect(copy.fields[.contentType] == "application/vnd.sqlite3")
        let exported = try served.send(.get, "/v1/admin/export")
        #expect(exported.fields[.contentType] == "application/x-ndjson")
        #expect(exported.fields[.cacheControl] == "no-store")
        #expect(served.stop() == 0)
        try write(copy.body, to: folder.file("copy.db"))
        for file in [database, folder.file("copy.db")] {
            let path = folder.file("export.ndjson")
            #expect(try Program.run("export", path, "--database", file).status == 0)
            #expect(try bytes(of: path) == exported.body)
        }
        #expect(exported.text.split(separator: "\n").count > 17)
    }

    @Test func `bodies of admins are limited as all others, except on the control socket`() throws {
        let served = try RunningServer(database, ["--max-body-bytes", "1000"])
        let batch = #"{"dryRun":true,"items":[]"# + String(repeating: " ", count: 2_000) + "}"
        #expect(try served.send(.post, "/v1/admin/imports", batch).status == 413)
        let control = TestClient(.unix(database + ".control"))
        let taken = try control.send(
            .post, "/v1/admin/imports", fields: [.contentType: "application/json"],
            body: Array(batch.utf8))
        #expect(taken.status == 200 && taken.text == #"{"results":[]}"#)
        #expect(served.stop() == 0)
    }

    @Test(arguments: ["broadsheet-upgrade/1", "broadsheet-takeover/1"])
    func `no admin takes a server over from the network`(name: String) throws {
        let served = try RunningServer(database)
        func response(from client: TestClient, _ path: String) throws -> ReceivedResponse {
            let connection = try RawConnection(client.address)
            try connection.send(
                "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                    + "Authorization: Bearer \(RunningServer.adminKey)\r\nUpgrade: \(name)\r\n\r\n")
            return try connection.response()
        }
        let everybody = try response(from: served.client, "/v1/admin/state")
        #expect(everybody.status == 200 && everybody.text == #"{"sequence":0,"articles":0}"#)
        #expect(try served.client.get("/readyz").status == 200)
        #expect(served.stop() == 0)
    }
}
