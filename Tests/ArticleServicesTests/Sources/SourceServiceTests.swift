import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import ArticleConnectors
@testable import ArticleServices

/// The requests of admins to `/v1/sources`, and their rejections.
@Suite struct SourceServiceTests {
    @Test func `a source is added, listed, changed and removed`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send(
                "POST /v1/sources", as: .admin,
                #"{"url":"https://example.org/feed","name":"A Feed","tags":["Rye"]}"#)
            #expect(made.status == 201)
            let source = try ContentSource(mapping: made.body)
            let path = "/v1/sources/\(source.id)"
            #expect(made.fields[.location] == path && made.fields[.cacheControl] == "no-store")
            let fetched = try server.send("GET \(path)", as: .admin)
            #expect(try ContentSource(mapping: fetched.body) == source)
            #expect(fetched.fields[.cacheControl] == "no-store")
            let etag = try #require(fetched.fields[.etag])
            let listed = try server.send("GET /v1/sources?limit=1", as: .admin)
            #expect(try Page<ContentSource>(mapping: listed.body).items == [source])
            let stale: HTTPFields = [.ifMatch: "\"7-aaaaaa\""]
            let changes = #"{"paused":true,"name":null}"#
            #expect(
                try server.send("PATCH \(path)", as: .admin, changes, with: stale).status == 412)
            let changed = try server.send(
                "PATCH \(path)", as: .admin, changes, with: [.ifMatch: etag])
            let paused = try ContentSource(mapping: changed.body)
            #expect(paused.isPaused && paused.name == nil && paused.revision == 2)
            #expect(paused.nextPollAt == nil)
            #expect(
                try server.send("DELETE \(path)", as: .admin, with: [.ifMatch: etag]).status
                    == 412)
            #expect(try server.send("DELETE \(path)", as: .admin).status == 204)
            #expect(try server.send("GET \(path)", as: .admin).status == 404)
            #expect(try server.send("POST \(path)/poll", as: .admin).status == 404)
        }
    }

    @Test func `a repeated write adds one source`() async throws {
        try await TestBackend.run(samples: false) { server in
            let name = try #require(HTTPFieldName("Idempotency-Key"))
            let body = #"{"url":"https://example.org/feed"}"#
            let first = try server.send(
                "POST /v1/sources", as: .admin, body, with: [name: "k1"])
            let second = try server.send(
                "POST /v1/sources", as: .admin, body, with: [name: "k1"])
            #expect(first.status == 201 && second.status == 201 && first.body == second.body)
            let other = try server.send("POST /v1/sources", as: .admin, body)
            #expect(other.status == 422 && other.text.contains("another source has this URL"))
        }
    }

    @Test(arguments: [
        "http://example.org/", "https://example.org:25/", "https://127.0.0.1/",
        "https://[::1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:7f00:1]/",
        "https://[64:ff9b::a9fe:a9fe]/", "https://[2002:7f00:1::]/", "https://[fd00:ec2::254]/",
        "https://[::]/", "https://0.0.0.0/", "https://169.254.169.254/latest",
        "https://10.0.0.1:8443/", "https://user:secret@example.org/", "ftp://example.org/",
        "https://", "file:///etc/passwd", "https://exa mple.org/", "unix:/run/x.sock", "",
    ])
    func `a URL that is not public is rejected`(_ url: String) async throws {
        try await TestBackend.run(samples: false) { server in
            let rejected = try server.send(
                "POST /v1/sources", as: .admin, #"{"url":"\#(url)"}"#)
            #expect(rejected.status == 422, "\(rejected)")
            #expect(rejected.text.contains(#""pointer":"/url""#))
            #expect(!rejected.text.contains("secret"))
        }
    }

    @Test func `private URLs are accepted where they are permitted`() async throws {
        let policy = SourcePolicy(allowsPrivate: true)
        try await TestBackend.run(samples: false, sources: policy) { server in
            for url in ["http://127.0.0.1:8080/", "https://10.0.0.1:25/", "http://intranet/f"] {
                let made = try server.send(
                    "POST /v1/sources", as: .admin, #"{"url":"\#(url)"}"#)
                #expect(made.status == 201)
            }
            let file = try server.send(
                "POST /v1/sources", as: .admin, #"{"url":"file:///etc/passwd"}"#)
            #expect(file.status == 422)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"url":"https://a.example/","intervalSeconds":59}"#,
        #"{"url":"https://a.example/","tags":["1","2","3","4","5","6","7","8","9","10","11"]}"#,
        #"{"url":"https://a.example/","language":"no such"}"#,
        #"{"url":"https://a.example/","kind":"feed"}"#,
        #"{"url":"https://a.example/","name":""}"#,
    ])
    func `an invalid source is rejected`(_ body: String) async throws {
        try await TestBackend.run(samples: false) { server in
            let rejected = try server.send("POST /v1/sources", as: .admin, body)
            #expect([400, 422].contains(rejected.status), "\(rejected)")
        }
    }
}
