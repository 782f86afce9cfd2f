import ArticleAPI
import ArticleConnectors
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The consequences of a receiver's failure: retries, and the reset after 24 hours.
@Suite struct WebhookRetryTests {
    private static let day: Int64 = 24 * 60 * 60 * 1_000

    /// A script that fails this many times.
    private static func failures(_ count: Int, _ status: HTTPStatus = .internalServerError)
        -> WebhookFixture.Script
    {
        let attempts = Counter()
        return { _ in attempts.next() < count ? status : .ok }
    }

    @Test func `a batch is retried with growing delays until it is delivered`() async throws {
        try await WebhookTests.run { server, fixture in
            fixture.respond(Self.failures(12))
            try await fixture.run { webhooks in
                try WebhookTests.publish("one", in: server)
                try await fixture.waitForAttempts(13)
                try await fixture.waitUntilCurrent()
                #expect(Set(fixture.attempts.map(\.body)).count == 1)
                let longest = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
                #expect(fixture.pauses.count == longest.count)
                for (pause, longest) in zip(fixture.pauses, longest) {
                    #expect(pause <= .seconds(longest) && pause >= .seconds(longest) / 2)
                }
                #expect(Set(fixture.pauses.suffix(3)).count > 1, "they are random")
                let isReported = await eventually { fixture.events.count == 2 }
                #expect(isReported)
                #expect(
                    fixture.events == [.failing(reason: "the response has status 500"), .recovered])
                let statistics = webhooks.statistics[0]
                #expect(statistics.delivered == 1 && statistics.failed == 12)
                #expect(statistics.failingSeconds == 0 && statistics.resets == 0)

                // A success resets the delay.
                fixture.respond(Self.failures(1))
                try WebhookTests.publish("two", in: server)
                try await fixture.waitForAttempts(15)
                #expect(fixture.pauses.count == 13 && fixture.pauses[12] <= .seconds(1))
            }
            for notice in fixture.notices {
                #expect(notice.hasPrefix("webhook 1 (hooks.example.org) "))
                #expect(!notice.contains("secret") && !notice.contains("hidden"))
            }
        }
    }

    @Test(arguments: [HTTPStatus.found, .temporaryRedirect, .notModified, .badRequest, .notFound])
    func `any status but 2xx is a failure`(_ status: HTTPStatus) async throws {
        try await WebhookTests.run { server, fixture in
            fixture.respond(Self.failures(1, status))
            try await fixture.run { webhooks in
                try WebhookTests.publish("one", in: server)
                try await fixture.waitForAttempts(2)
                try await fixture.waitUntilCurrent()
                #expect(webhooks.statistics[0].failed == 1)
                #expect(
                    fixture.events.first
                        == .failing(reason: "the response has status \(status.code)"))
            }
        }
    }

    @Test func `after 24 hours without a delivery, changes are skipped, which the next batch says`()
        async throws
    {
        try await WebhookTests.run { server, fixture in
            let isDead = Lock(true)
            fixture.respond { (_) throws(HTTPClientError) in
                if isDead.withLock({ $0 }) { throw .stopped }
                return .ok
            }
            try await fixture.run { webhooks in
                try WebhookTests.publish("one", in: server)
                let isReset = await eventually { webhooks.statistics[0].resets == 1 }
                try #require(isReset)
                let tried = fixture.pauses.reduce(.zero, +)
                #expect(tried >= .seconds(86_400) && tried <= .seconds(86_400 + 300))
                try await fixture.waitUntilCurrent()
                #expect(webhooks.statistics[0].failingSeconds == 0)
                let cause = HTTPClientError.stopped.description
                let reason = "nothing was delivered for 24 hours: \(cause)"
                let isReported = await eventually { fixture.events.count == 2 }
                #expect(isReported)
                #expect(fixture.events == [.failing(reason: cause), .reset(reason: reason)])

                isDead.withLock { $0 = false }
                let count = fixture.attempts.count
                for title in ["two", "three"] {
                    try WebhookTests.publish(title, in: server)
                    try await fixture.waitUntilCurrent()
                }
                let texts = fixture.attempts.dropFirst(count).map(\.text)
                try #require(texts.count == 2)
                #expect(texts[0].contains(#""title":"two""#) && !texts[0].contains("one"))
                #expect(texts[0].hasSuffix(#","reset":true}"#))
                #expect(texts[1].contains(#""title":"three""#) && !texts[1].contains("reset"))
                #expect(fixture.events.suffix(2) == [.reset(reason: reason), .recovered])
            }
        }
    }

    @Test func `what a receiver does not have yet is counted, up to a limit`() async throws {
        try await WebhookTests.run { server, fixture in
            let webhooks = try await fixture.webhooks()
            #expect(await webhooks.pendingChanges() == [0])
            for title in ["one", "two"] { try WebhookTests.publish(title, in: server) }
            // Receivers get what is public, each thing once.
            _ = try server.send("POST /v1/articles", as: .editor, #"{"title":"Draft"}"#)
            #expect(await webhooks.pendingChanges() == [2])
            for number in 1..<Webhooks.limitPending {
                try WebhookTests.publish("\(number)", in: server)
            }
            #expect(await webhooks.pendingChanges() == [Webhooks.limitPending])
            async let _: Void = webhooks.run()
            try await fixture.waitUntilCurrent()
            #expect(await webhooks.pendingChanges() == [0])
        }
    }

    @Test func `a reset and the time of the first failure survive restarts`() async throws {
        try await WebhookTests.run { server, fixture in
            let store = server.backend.store
            let webhooks = try await fixture.webhooks()
            try WebhookTests.publish("one", in: server)
            var record = try await store.webhooks()[0]
            record.failingSince = TestBackend.opening.advanced(byMilliseconds: -Self.day)
            try await store.putWebhook(record)
            #expect(webhooks.statistics[0].failingSeconds == 0)
            fixture.respond(Self.failures(1))
            try await fixture.run { webhooks in
                let isReset = await eventually { webhooks.statistics[0].resets == 1 }
                #expect(isReset)
                try await fixture.waitUntilCurrent()
            }
            #expect(try await store.webhooks()[0].isReset)
            try await fixture.run { _ in
                try WebhookTests.publish("two", in: server)
                try await fixture.waitUntilCurrent()
            }
            #expect(try await !store.webhooks()[0].isReset)
            let texts = fixture.attempts.map(\.text)
            #expect(texts.count == 2 && texts[0].contains("one") && texts[1].contains("two"))
            #expect(texts.map { $0.hasSuffix(#","reset":true}"#) } == [false, true])
        }
    }

    @Test func `if the clock is set back, the 24 hours begin again`() async throws {
        try await WebhookTests.run { server, fixture in
            let store = server.backend.store
            _ = try await fixture.webhooks()
            try WebhookTests.publish("one", in: server)
            var record = try await store.webhooks()[0]
            record.failingSince = TestBackend.opening.advanced(byMilliseconds: 90 * Self.day)
            try await store.putWebhook(record)
            let attempts = Counter()
            fixture.respond { _ in attempts.next() < 1 ? .serviceUnavailable : nil }
            try await fixture.run { webhooks in
                #expect(webhooks.statistics[0].failingSeconds == 0)
                try await fixture.waitForAttempts(2)
                #expect(try await store.webhooks()[0].failingSince == TestBackend.opening)
                #expect(webhooks.statistics[0].failingSeconds > 0)
                #expect(webhooks.statistics[0].resets == 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func `a position of another history or that cannot be read is reset`(
        isReadable: Bool
    ) async throws {
        try await WebhookTests.run { server, fixture in
            let store = server.backend.store
            _ = try await fixture.webhooks()
            let record = try await store.webhooks()[0]
            var other = "unreadable"
            if isReadable {
                try await TestBackend.run(samples: false) { server in
                    let page = try server.send("GET /v1/changes?since=now")
                    other = try ChangePage<Article>(mapping: page.body).next
                }
            }
            try await store.putWebhook(WebhookRecord(url: record.url, token: other))
            try WebhookTests.publish("one", in: server)
            try await fixture.run { webhooks in
                try await fixture.waitUntilCurrent()
                #expect(webhooks.statistics[0].resets == 1)
                #expect(fixture.attempts.isEmpty)
                try WebhookTests.publish("two", in: server)
                try await fixture.waitForAttempts(1)
                try await fixture.waitUntilCurrent()
                let text = fixture.attempts[0].text
                #expect(text.contains("two") && !text.contains("one"))
                #expect(text.hasSuffix(#","reset":true}"#))
                let reason = "the database has a different history"
                let isReported = await eventually { fixture.events.count == 2 }
                #expect(isReported && fixture.events == [.reset(reason: reason), .recovered])
            }
        }
    }

    @Test func `a store that cannot be read is reported once, and attempts continue`() async throws
    {
        // The indexer would report the closed store, too.
        try await WebhookTests.run(indexes: false) { server, fixture in
            try await fixture.run { webhooks in
                await server.backend.store.close()
                webhooks.didCommit(CommitChanges(sequence: 1, records: nil))
                let isRetried = await eventually { fixture.pauses.count >= 3 }
                #expect(isRetried)
                #expect(
                    fixture.events
                        == [.failing(reason: "the changes cannot be read: the store is closed")])
                #expect(webhooks.statistics[0].failed == 0 && fixture.attempts.isEmpty)
            }
        }
    }
}
