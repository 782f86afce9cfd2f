import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServiceCore
@testable import ArticleServices

/// The deliveries to the receivers of webhooks, and their order.
@Suite struct WebhookTests {
    /// Runs a backend without articles and a fixture of webhooks.
    /// - Parameter indexes: whether articles are indexed for the search.
    static func run(
        indexes: Bool = true, _ body: (TestBackend, WebhookFixture) async throws -> Void
    ) async throws {
        try await TestBackend.run(samples: false, indexes: indexes) { server in
            try await body(server, WebhookFixture(server))
        }
    }

    static func publish(_ title: String, status: String = "published", in server: TestBackend)
        throws
    {
        let made = try server.send(
            "POST /v1/articles", as: .editor, #"{"title":"\#(title)","status":"\#(status)"}"#)
        #expect(made.summary == "201", "\(made.text)")
    }

    /// The public's pages since a token, as webhooks contain them.
    private static func pages(since token: String, in server: TestBackend) throws -> [String] {
        var pages: [String] = []
        var token = token
        var isLast = false
        while !isLast {
            let response = try server.send("GET /v1/changes?limit=100&since=\(token)")
            let page = try ChangePage<Article>(mapping: response.body)
            let text = response.text.replacing(#","more":\#(page.more)}"#, with: "}")
            pages.append(
                text.replacing(#"],"next":""#, with: #"],"since":"\#(token)","next":""#))
            (token, isLast) = (page.next, !page.more)
        }
        return pages
    }

    private static func present(_ server: TestBackend) throws -> String {
        let response = try server.send("GET /v1/changes?since=now")
        return try ChangePage<Article>(mapping: response.body).next
    }

    @Test func `batches are the public's pages, of at most 100 changes and in order`() async throws
    {
        try await Self.run { server, fixture in
            try Self.publish("before", in: server)
            let webhooks = try await fixture.webhooks()
            let token = try Self.present(server)
            for number in 0..<210 {
                try Self.publish("n\(number)", in: server)
                if number % 10 == 0 { try Self.publish("hidden", status: "draft", in: server) }
            }
            let pages = try Self.pages(since: token, in: server)
            #expect(pages.count == 3)
            async let _: Void = webhooks.run()
            try await fixture.waitForAttempts(3)
            try await fixture.waitUntilCurrent()
            #expect(fixture.attempts.map(\.text) == pages)
            #expect(!fixture.attempts.contains { $0.text.contains("hidden") })
            let statistics = webhooks.statistics[0]
            #expect(statistics.delivered == 3 && statistics.failed == 0)
            #expect(fixture.notices == [])
        }
    }

    @Test func `changes are sent as they are committed, and hidden ones never`() async throws {
        try await Self.run { server, fixture in
            try await fixture.run { _ in
                for number in 1...3 {
                    try Self.publish("hidden", status: "draft", in: server)
                    try Self.publish("n\(number)", in: server)
                    try await fixture.waitForAttempts(number)
                    try await fixture.waitUntilCurrent()
                }
                #expect(fixture.attempts.count == 3)
                for (index, attempt) in fixture.attempts.enumerated() {
                    #expect(attempt.text.contains(#""title":"n\#(index + 1)""#))
                    #expect(!attempt.text.contains("hidden"))
                    #expect(!attempt.text.contains("reset"))
                }
            }
        }
    }

    @Test func `a request is JSON with a signature and the server's name`() async throws {
        try await Self.run { server, fixture in
            try await fixture.run { _ in
                try Self.publish("one", in: server)
                try await fixture.waitForAttempts(1)
                let attempt = fixture.attempts[0]
                #expect(attempt.url.origin.authority == "hooks.example.org")
                #expect(attempt.fields[.contentType] == "application/json")
                #expect(attempt.fields[.userAgent] == "Broadsheet/test")
                let name = try #require(HTTPFieldName("Broadsheet-Signature"))
                let signature = try #require(attempt.fields[name])
                #expect(signature.wholeMatch(of: /t=1800000000,v1=[0-9a-f]{64}/) != nil)
            }
        }
    }

    @Test func `a batch keeps its id while its changes are the same`() async throws {
        try await Self.run { server, fixture in
            let id = try #require(HTTPFieldName("webhook-id"))
            fixture.respond { _ in .serviceUnavailable }
            try await fixture.run { _ in
                try Self.publish("one", in: server)
                try await fixture.waitForAttempts(3)
            }
            let first = fixture.attempts.map { $0.fields[id] ?? "" }
            #expect(Set(first).count == 1 && first[0].wholeMatch(of: /msg_[\w-]{24}/) != nil)
            // Once there is more to send, a receiver must not take it for what it has.
            try Self.publish("two", in: server)
            fixture.respond { _ in .ok }
            try await fixture.run { _ in try await fixture.waitUntilCurrent() }
            let last = try #require(fixture.attempts.last)
            #expect(last.text.contains("one") && last.text.contains("two"))
            #expect(last.fields[id] != first[0])
        }
    }

    @Test(arguments: [
        (
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0"
        ),
        (
            "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        ),
        (
            "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        ),
        ("the-secret-of-webhooks-in-unit-tests", nil),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La-_Sw", nil),
        ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA", nil),
    ])
    func `a secret of Standard Webhooks is the base64 of its key`(
        text: String, key: String?
    ) throws {
        let secret = try #require(SharedSecret(text))
        let key = key ?? ByteText.hexadecimal(text.utf8)
        #expect(ByteText.hexadecimal(secret.standardWebhooksKey) == key)
        #expect(secret.bytes == Array(text.utf8), "former signatures stay")
    }

    @Test func `after a restart, sending continues at the stored position`() async throws {
        try await Self.run { server, fixture in
            fixture.respond { $0.text.contains("two") ? nil : .ok }
            try await fixture.run { _ in
                try Self.publish("one", in: server)
                try await fixture.waitForAttempts(1)
                try await fixture.waitUntilCurrent()
                try Self.publish("two", in: server)
                try await fixture.waitForAttempts(2)
            }
            // It was stopped while the receiver did not respond, which is not a failure.
            #expect(fixture.events == [])
            try Self.publish("three", in: server)
            fixture.respond { _ in .accepted }
            try await fixture.run { webhooks in
                try await fixture.waitForAttempts(3)
                try await fixture.waitUntilCurrent()
                let text = fixture.attempts[2].text
                #expect(text.contains(#""title":"two""#) && text.contains(#""title":"three""#))
                #expect(!text.contains(#""title":"one""#) && !text.contains("reset"))
                #expect(webhooks.statistics[0].failed == 0)
            }
        }
    }

    @Test func `a receiver that does not respond delays no other, and no stop`() async throws {
        try await Self.run { server, fixture in
            let hanging = "https://hanging.example.org"
            fixture.respond { $0.url.origin.authority == "hanging.example.org" ? nil : .ok }
            try await fixture.run([hanging, WebhookFixture.url]) { webhooks in
                for number in 1...3 {
                    try Self.publish("n\(number)", in: server)
                    let isSent = await eventually { webhooks.statistics[1].delivered == number }
                    #expect(isSent)
                }
                // One batch in flight for each.
                let isTried = await eventually {
                    fixture.attempts.contains { $0.url.origin.authority == "hanging.example.org" }
                }
                #expect(isTried)
                #expect(fixture.attempts.count == 4)
            }
        }
    }

    @Test func `the positions of former receivers are removed at the start`() async throws {
        try await Self.run { server, fixture in
            let store = server.backend.store
            _ = try await fixture.webhooks(["https://a.example.org", "https://b.example.org"])
            let both = try await store.webhooks()
            #expect(both.count == 2)
            try await fixture.run(["https://b.example.org/"]) { _ in
                while try await store.webhooks().count != 1 { await Task.yield() }
                #expect(both.contains(try await store.webhooks()[0]))
            }
            try await fixture.run([]) { _ in
                while try await store.webhooks() != [] { await Task.yield() }
            }
        }
    }
}
