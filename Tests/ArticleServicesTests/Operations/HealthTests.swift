import ArticleServices
import ArticleStore
import BroadsheetHTTP
import Testing

/// `GET /livez` and `GET /readyz`.
@Suite struct HealthTests {
    @Test(arguments: [("/livez", "ok\n"), ("/readyz", "ready\n")])
    func `a healthy server reports this to everyone`(target: String, word: String) async throws {
        try await TestBackend.run(samples: false) { server in
            for sender in [Sender.anonymous, .editor, .garbage] {
                let response = try server.send("GET \(target)", as: sender)
                #expect(response.summary == "200" && response.text == word)
                #expect(response.fields[.contentType] == "text/plain; charset=utf-8")
                #expect(response.fields[.cacheControl] == "no-store")
            }
            let head = try server.send("HEAD \(target)")
            #expect(head.summary == "200" && head.fields[.contentLength] == "\(word.utf8.count)")
            let post = try server.send("POST \(target)")
            #expect(post.summary == "405 method-not-allowed")
            #expect(post.fields[.allow] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func `a server that is about to stop is not ready, and responds to everything else`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            server.backend.drain()
            let response = try server.send("GET /readyz")
            #expect(response.summary == "503 unavailable")
            #expect(response.fields[.retryAfter] == "1")
            for target in ["/livez", "/v1/articles"] {
                #expect(try server.send("GET \(target)").summary == "200")
            }
        }
    }

    @Test func `without its store a server is alive but not ready`() async throws {
        try await TestBackend.run(samples: false, indexes: false) { server in
            await server.backend.store.close()
            #expect(try server.send("GET /livez").summary == "200")
            let response = try server.send("GET /readyz")
            #expect(response.summary == "503 unavailable")
            #expect(response.fields[.retryAfter] == "5")
            #expect(server.takeLog().count == 1)
        }
    }

    @Test func `a store failure is logged but not disclosed to clients`() async throws {
        try await TestBackend.run(samples: false, indexes: false) { server in
            await server.backend.store.close()
            for line in ["GET /v1/articles", "GET /v1/tags", "GET /v1/authors"] {
                let response = try server.send(line)
                #expect(response.summary == "503 unavailable")
                #expect(response.text.contains("did not respond; nothing was changed."))
                let cause = try #require(server.takeLog().last)
                #expect(cause.hasPrefix(response.fields[.xRequestID] ?? "-"))
                #expect(cause.contains("closed"))
            }
        }
    }
}
