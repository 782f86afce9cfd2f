import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Every byte of the files after `broadsheet purge` and its request.
@Suite(.mayBlock) struct PurgeTests {
    /// In every text that is to go.
    private static let word = "qvzkx"

    let folder: TemporaryFolder
    private let otherFolder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        otherFolder = try TemporaryFolder()
    }

    private func found() throws -> [String] { try files(with: Self.word, in: folder.path) }

    /// The records written with the word.
    private struct Written {
        /// With the word in its slug, title, tags, source and body, and in its comments.
        let article: String
        /// Has the word in the second of three revisions only.
        let edited: String
        /// Has written the comments, with the word in their name.
        let user: String
    }

    /// Sends a write with an idempotency key, and returns the id of what it has written.
    @discardableResult
    private func write(
        _ method: HTTPMethod, _ target: String, _ body: String, _ served: RunningServer,
        token: String = RunningServer.adminKey, status: Int
    ) throws -> String {
        let type =
            method == .patch ? "application/merge-patch+json" : "application/json"
        var fields: HTTPFields = [
            .authorization: "Bearer \(token)", .contentType: type,
            .idempotencyKey: "k\(body.utf8.count)",
        ]
        // Credentials are never stored with a key.
        if target == "/v1/users" { fields.remove(.idempotencyKey) }
        let response = try served.client.send(
            method, target, fields: fields, body: Array(body.utf8))
        #expect(response.status == status, "\(response.text)")
        return String(response.fields[.location]?.split(separator: "/").last ?? "")
    }

    private func fill(_ served: RunningServer) async throws -> Written {
        let word = Self.word
        let article = try write(
            .post, "/v1/articles",
            """
            {"title":"\(word) title","slug":"\(word)-slug","summary":"\(word)",
            "status":"published","tags":["\(word)-tag"],"body":"Some **\(word)** sentence.",
            "source":{"name":"\(word)"}}
            """, served, status: 201)
        let edited = try write(
            .post, "/v1/articles", #"{"title":"Plain","slug":"plain","status":"published"}"#,
            served, status: 201)
        for (slug, text) in [("\(word)-2", word), ("plain", "")] {
            try write(
                .patch, "/v1/articles/\(edited)",
                #"{"title":"Plain \#(text)","slug":"\#(slug)","body":"\#(text)"}"#, served,
                status: 200)
        }
        #expect(try served.client.get("/v1/articles/\(word)-2").status == 200)
        try write(
            .post, "/v1/articles", #"{"title":"T","slug":"\#(word)-slug"}"#, served, status: 409)
        let user = try comment(on: article, served)
        for number in 0..<280 {
            let other = try served.send(
                .post, "/v1/articles", #"{"title":"Number\#(number)","status":"published"}"#)
            #expect(other.status == 201)
        }
        #expect(
            await eventually {
                (try? served.client.get("/v1/search?q=number279"))?.status == 200
            })
        return Written(article: article, edited: edited, user: user)
    }

    /// Writes comments, of which one is changed and one is deleted, as a new user.
    private func comment(on article: String, _ served: RunningServer) throws -> String {
        let word = Self.word
        let user = try write(
            .post, "/v1/users",
            #"{"name":"mina","password":"correct horse","displayName":"\#(word)"}"#, served,
            status: 201)
        let session = try served.send(
            .post, "/v1/sessions", #"{"name":"mina","password":"correct horse"}"#)
        let token = try UserSession(mapping: session.body).accessToken
        let place = "/v1/articles/\(article)/comments"
        let first = try write(
            .post, place, #"{"body":"\#(word) first"}"#, served, token: token, status: 201)
        for text in ["\(word) changed", "harmless"] {
            try write(
                .patch, "/v1/comments/\(first)", #"{"body":"\#(text)"}"#, served, token: token,
                status: 200)
        }
        for text in ["\(word) reply", "\(word) deleted"] {
            let reply = try write(
                .post, place, #"{"body":"\#(text)","parentID":"\#(first)"}"#, served,
                token: token, status: 201)
            guard text.hasSuffix("deleted") else { continue }
            #expect(try served.send(.delete, "/v1/comments/\(reply)", key: token).status == 204)
        }
        // It stores their HTML.
        let read = try served.client.get("\(place)?fields=body,bodyHTML")
        #expect(read.text.contains("<p>\(word) reply</p>"))
        return user
    }

    /// Repeats the request while other tests have transactions open on the same server.
    private func purge(_ body: String, _ served: RunningServer) throws -> ReceivedResponse {
        while true {
            let response = try served.send(.post, "/v1/admin/purge", body)
            if response.status != 503 { return response }
        }
    }

    /// Requests what remains to be purged, and expects that nobody finds it any more.
    private func purge(_ written: Written, _ served: RunningServer) async throws {
        let user = try served.send(.delete, "/v1/users/\(written.user)?comments=delete")
        #expect(user.status == 204)
        #expect(
            await eventually {
                (try? served.send(.get, "/v1/users/\(written.user)"))?.status == 404
            })
        let body = #"{"articleID":"\#(written.article)","reason":"Article 17"}"#
        for _ in 1...2 { #expect(try purge(body, served).status == 200) }
        #expect(try purge(body, served).text.contains(#""revisions":0"#))
        let place = "/v1/articles/\(written.article)"
        for target in [place, "\(place)/revisions", "\(place)/comments"] {
            #expect(try served.send(.get, target).status == 404)
        }
        let search = try served.client.get("/v1/search?q=\(Self.word)")
        #expect(search.status == 200 && !search.text.contains("\(Self.word)-slug"))
        let slug = try served.client.get("/v1/articles/\(Self.word)-2")
        #expect(slug.status == 404)
    }

    /// Stops the server, which logs no requests, and expects that it has logged the reason.
    private func stop(_ served: RunningServer) throws {
        served.program.signal(SIGTERM)
        let messages = served.program.errors.rest().filter { $0.contains(#""message":"#) }
        #expect(served.program.wait() == 0)
        #expect(messages.contains { $0.contains("Article 17") })
        #expect(!messages.contains { $0.contains(Self.word) })
    }

    @Test func `no file has what was purged from a served file`() async throws {
        let database = folder.file("a.db")
        let served = try RunningServer(database, ["--sign-up", "open", "--log", "off"])
        let written = try await fill(served)
        #expect(try found() != [])
        let reason = ["--reason", "a court order", "--database", database]
        let missing = try Program.start(["purge", written.edited, "--database", database])
        #expect(missing.wait() == 64)
        let last = try Program.start(["purge", written.edited, "--revision", "3"] + reason)
        #expect(last.errors.rest().contains { $0.contains("with the whole article") })
        for _ in 1...2 {
            let revision = try Program.start(["purge", written.edited, "--revision", "2"] + reason)
            #expect(revision.wait() == 0, "\(revision.errors.rest())")
        }
        try await purge(written, served)
        #expect(try found() == [])
        let files = [folder.file("b.db"), folder.file("e.ndjson")]
        for (command, file) in zip(["backup", "export"], files) {
            #expect(try Program.run(command, file, "--database", database).status == 0)
        }
        #expect(try found() == [])
        try stop(served)
        #expect(try Program.run("check", "--database", database).status == 0)
        #expect(try found() == [])
    }

    @Test func `no file has what was purged without a server`() async throws {
        let database = folder.file("a.db")
        let served = try RunningServer(database, ["--sign-up", "open"])
        let written = try await fill(served)
        #expect(try served.send(.delete, "/v1/users/\(written.user)").status == 204)
        #expect(served.stop() == 0)
        #expect(try found() != [])
        for arguments in [[written.article], [written.edited, "--revision", "2"]] {
            let purge = try Program.start(
                ["purge"] + arguments + ["--reason", "leak", "--database", database])
            #expect(purge.wait() == 0, "\(purge.errors.rest())")
        }
        #expect(try found() == [])
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    /// The write-ahead log of a server is archived and removed by it.
    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `no table of a server has what was purged`() async throws {
        let server = try PostgresServer.shared
        func found() throws -> [String] {
            try server.run("CHECKPOINT")
            return try files(with: Self.word, in: "\(server.folder)/data")
        }
        let database = try server.newDatabase()
        func serve(in folder: TemporaryFolder) throws -> RunningServer {
            try RunningServer(
                RunningProgram(
                    "/usr/bin/env",
                    [
                        "-C", folder.path, Program.path(), "serve", "--listen", "127.0.0.1:0",
                        "--sign-up", "open", "--log", "off", "--database", database,
                    ], environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey]))
        }
        let served = try serve(in: folder)
        // Another one, which has its own cache.
        let other = try serve(in: otherFolder)
        let slug = "/v1/articles/\(Self.word)-2"
        let written = try await fill(served)
        #expect(await eventually { (try? other.client.get(slug))?.status == 200 })
        #expect(try found() != [])
        let purged = try purge(
            #"{"articleID":"\#(written.edited)","revisions":[2],"reason":"a court order"}"#, served)
        #expect(purged.status == 200, "\(purged.text)")
        #expect(await eventually { (try? other.client.get(slug))?.status == 404 })
        try await purge(written, served)
        #expect(try found() == [])
        try stop(served)
        #expect(other.stop() == 0)
    }
}
