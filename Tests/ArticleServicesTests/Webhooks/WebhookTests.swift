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
    /// Runs a newsroom without articles and a desk of webhooks.
    /// - Parameter indexes: whether articles are indexed for the search.
    static func run(
        indexes: Bool = true, _ body: (Newsroom, WebhookDesk) async throws -> Void
    ) async throws {
        try await Newsroom.run(cast: false, indexes: indexes) { newsroom in
            try await body(newsroom, WebhookDesk(newsroom))
        }
    }

    static func publish(_ title: String, status: String = "published", in newsroom: Newsroom) throws
    {
        let made = try newsroom.send(
            "POST /v1/articles", as: .editor, #"{"title":"\#(title)","status":"\#(status)"}"#)
        #expect(made.summary == "201", "\(made.text)")
    }

    /// The public's pages since a token, as webhooks contain them.
    private static func pages(since token: String, in newsroom: Newsroom) throws -> [String] {
        var pages: [String] = []
        var token = token
        var isLast = false
        while !isLast {
            let response = try newsroom.send("GET /v1/changes?limit=100&since=\(token)")
            let page = try ChangePage<Article>(mapping: response.body)
            let text = response.text.replacing(#","more":\#(page.more)}"#, with: "}")
            pages.append(
                text.replacing(#"],"next":""#, with: #"],"since":"\#(token)","next":""#))
            (token, isLast) = (page.next, !page.more)
        }
        return pages
    }

    private static func present(_ newsroom: Newsroom) throws -> String {
        let response = try newsroom.send("GET /v1/changes?since=now")
        return try ChangePage<Article>(mapping: response.body).next
    }

    @Test func `batches are the public's pages, of at most 100 changes and in order`() async throws
    {
        try await Self.run { newsroom, desk in
            try Self.publish("before", in: newsroom)
            let webhooks = try await desk.webhooks()
            let token = try Self.present(newsroom)
            for number in 0..<210 {
                try Self.publish("n\(number)", in: newsroom)
                if number % 10 == 0 { try Self.publish("hidden", status: "draft", in: newsroom) }
            }
            let pages = try Self.pages(since: token, in: newsroom)
            #expect(pages.count == 3)
            async let _: Void = webhooks.run()
            try await desk.waitForAttempts(3)
            try await desk.waitUntilCurrent()
            #expect(desk.attempts.map(\.text) == pages)
            #expect(!desk.attempts.contains { $0.text.contains("hidden") })
            let statistics = webhooks.statistics[0]
            #expect(statistics.delivered == 3 && statistics.failed == 0)
            #expect(desk.notices == [])
        }
    }

    @Test func `changes are sent as they are committed, and hidden ones never`() async throws {
        try await Self.run { newsroom, desk in
            try await desk.run { _ in
                for number in 1...3 {
                    try Self.publish("hidden", status: "draft", in: newsroom)
                    try Self.publish("n\(number)", in: newsroom)
                    try await desk.waitForAttempts(number)
                    try await desk.waitUntilCurrent()
                }
                #expect(desk.attempts.count == 3)
                for (index, attempt) in desk.attempts.enumerated() {
                    #expect(attempt.text.contains(#""title":"n\#(index + 1)""#))
                    #expect(!attempt.text.contains("hidden"))
                    #expect(!attempt.text.contains("reset"))
                }
            }
        }
    }

    @Test func `a request is JSON with a signature and the server's name`() async throws {
        try await Self.run { newsroom, desk in
            try await desk.run { _ in
                try Self.publish("one", in: newsroom)
                try await desk.waitForAttempts(1)
                let attempt = desk.attempts[0]
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
        try await Self.run { newsroom, desk in
            let id = try #require(HTTPFieldName("webhook-id"))
            desk.respond { _ in .serviceUnavailable }
            try await desk.run { _ in
                try Self.publish("one", in: newsroom)
                try await desk.waitForAttempts(3)
            }
            let first = desk.attempts.map { $0.fields[id] ?? "" }
            #expect(Set(first).count == 1 && first[0].wholeMatch(of: /msg_[\w-]{24}/) != nil)
            // Once there is more to send, a receiver must not take it for what it has.
            try Self.publish("two", in: newsroom)
            desk.respond { _ in .ok }
            try await desk.run { _ in try await desk.waitUntilCurrent() }
            let last = try #require(desk.attempts.last)
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
        try await Self.run { newsroom, desk in
            desk.respond { $0.text.contains("two") ? nil : .ok }
            try await desk.run { _ in
                try Self.publish("one", in: newsroom)
                try await desk.waitForAttempts(1)
                try await desk.waitUntilCurrent()
                try Self.publish("two", in: newsroom)
                try await desk.waitForAttempts(2)
            }
            // It was stopped while the receiver did not respond, which is not a failure.
            #expect(desk.events == [])
            try Self.publish("three", in: newsroom)
            desk.respond { _ in .accepted }
            try await desk.run { webhooks in
                try await desk.waitForAttempts(3)
                try await desk.waitUntilCurrent()
                let text = desk.attempts[2].text
                #expect(text.contains(#""title":"two""#) && text.contains(#""title":"three""#))
                #expect(!text.contains(#""title":"one""#) && !text.contains("reset"))
                #expect(webhooks.statistics[0].failed == 0)
            }
        }
    }

    @Test func `a receiver that does not respond delays no other, and no stop`() async throws {
        try await Self.run { newsroom, desk in
            let hanging = "https://hanging.example.org"
            desk.respond { $0.url.origin.authority == "hanging.example.org" ? nil : .ok }
            try await desk.run([hanging, WebhookDesk.url]) { webhooks in
                for number in 1...3 {
                    try Self.publish("n\(number)", in: newsroom)
                    let isSent = await eventually { webhooks.statistics[1].delivered == number }
                    #expect(isSent)
                }
                // One batch in flight for each.
                let isTried = await eventually {
                    desk.attempts.contains { $0.url.origin.authority == "hanging.example.org" }
                }
                #expect(isTried)
                #expect(desk.attempts.count == 4)
            }
        }
    }

    @Test func `the positions of former receivers are removed at the start`() async throws {
        try await Self.run { newsroom, desk in
            let store = newsroom.backend.store
            _ = try await desk.webhooks(["https://a.example.org", "https://b.example.org"])
            let both = try await store.webhooks()
            #expect(both.count == 2)
            try await desk.run(["https://b.example.org/"]) { _ in
                while try await store.webhooks().count != 1 { await Task.yield() }
                #expect(both.contains(try await store.webhooks()[0]))
            }
            try await desk.run([]) { _ in
                while try await store.webhooks() != [] { await Task.yield() }
            }
        }
    }
}
