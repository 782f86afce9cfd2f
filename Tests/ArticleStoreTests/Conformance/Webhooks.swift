import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Webhooks {
        private static func url(_ number: UInt8) -> [UInt8] {
            [UInt8](repeating: number, count: 32)
        }

        @Test(arguments: Engine.all)
        func `a webhook has one record, which is replaced`(_ engine: Engine) async throws {
            try await engine.with { store in
                #expect(try await store.webhooks() == [])
                var first = WebhookRecord(url: Self.url(1), token: "a.b")
                let second = WebhookRecord(
                    url: Self.url(2), token: "c.d", failingSince: .start, isReset: true)
                try await store.putWebhook(second)
                try await store.putWebhook(first)
                #expect(try await store.webhooks() == [first, second])
                for record in [
                    WebhookRecord(url: Self.url(1), token: "e.f", failingSince: .start + 7),
                    WebhookRecord(url: Self.url(1), token: "g.h", isReset: true),
                ] {
                    first = record
                    try await store.putWebhook(record)
                    #expect(try await store.webhooks() == [first, second])
                }
            }
        }

        @Test(arguments: Engine.all)
        func `records of other webhooks can be removed`(_ engine: Engine) async throws {
            try await engine.with { store in
                for number in UInt8(1)...4 {
                    try await store.putWebhook(WebhookRecord(url: Self.url(number), token: "a.b"))
                }
                try await store.removeWebhooks(except: [Self.url(2), Self.url(4), Self.url(9)])
                #expect(try await store.webhooks().map(\.url) == [Self.url(2), Self.url(4)])
                try await store.removeWebhooks(except: [])
                #expect(try await store.webhooks() == [])
            }
        }

        /// The numbers that an observer was notified of.
        private final class Observer: ChangeObserver {
            let committed = Lock([Int64]())
            func didCommit(_ changes: CommitChanges) {
                committed.withLock { $0.append(changes.sequence) }
            }
        }

        @Test(arguments: Engine.all)
        func `moving the position of a webhook is not a change`(_ engine: Engine) async throws {
            try await engine.with { store in
                let observer = Observer()
                store.observeChanges(observer)
                try await store.putWebhook(WebhookRecord(url: Self.url(1), token: "a.b"))
                try await store.removeWebhooks(except: [])
                #expect(try await store.changeSequence() == 0)
                _ = try await store.createArticle(.make(), .sample(), by: .first)
                try await store.putWebhook(WebhookRecord(url: Self.url(1), token: "c.d"))
                #expect(observer.committed.withLock { $0 } == [1])
            }
        }
    }
}
