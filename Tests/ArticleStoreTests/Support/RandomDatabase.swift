import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetTestSupport

/// Random writes to every table of a store: articles and their authors, readers, and what only the
/// server knows.
struct RandomDatabase {
    private var history: RandomHistory
    private var readers: RandomReaders
    private var generator: SplitMix64
    private var writes = 0

    init(seed: UInt64, in store: any ArticleStore) async throws {
        history = RandomHistory(seed: seed)
        readers = try await RandomReaders(seed: seed &+ 1, in: store)
        generator = SplitMix64(seed: seed &+ 2)
    }

    /// Carries out one write, which may be rejected or change nothing.
    mutating func write(to store: any ArticleStore) async throws {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: try await history.write(to: store)
        case 1: try await readers.write(to: store)
        default: try await writeSecrets(to: store)
        }
    }

    /// Keys, sessions, invitations, idempotent writes, webhooks, sources and the search index.
    private mutating func writeSecrets(to store: any ArticleStore) async throws {
        writes += 1
        let (number, time) = (writes, Timestamp.start + Int64(writes))
        let digest = Self.digest(number)
        do {
            switch Int.random(in: 0..<11, using: &generator) {
            case 0:
                try await store.createKey(
                    KeyRecord(
                        id: "k\(number)", digest: digest, name: "key\0 \(number)",
                        role: "reader", createdAt: time))
            case 1: _ = try await store.revokeKey("k\(number - 3)", at: time)
            case 2, 3:
                let user = readers.users[number % readers.users.count]
                _ = try await store.createSession(
                    .sample(number, of: user, at: time), expecting: 0)
            case 4: try await store.endSession(.session(number - 2))
            case 5: try await store.createInvitation(.sample(number, at: time))
            case 6:
                try await store.putWebhook(
                    WebhookRecord(url: Self.digest(number % 3), token: "t\(number)"))
            case 7: try await store.useIdentityToken(digest, until: time + 5, at: time)
            case 8: try await writeOnce(number, to: store)
            case 9:
                _ = try await store.createSource(
                    ContentSource(
                        id: .make(), url: "https://example.org/\(number % 4)", createdAt: time,
                        updatedAt: time), by: .later(Int64(number)))
            default:
                try await store.putSearchBlocks(
                    [SearchBlockRecord(number: 0, first: [1, 2], data: digest)],
                    of: Int64(number))
            }
        } catch StoreError.notFound {
            // A key, a session or a user that does not exist any more.
        } catch StoreError.conflict {
            // The source exists.
        } catch StoreError.preconditionFailed {
            // The access of the user has changed.
        }
    }

    /// A write with an idempotency key.
    private func writeOnce(_ number: Int, to store: any ArticleStore) async throws {
        let key = IdempotencyKey(
            scope: Self.digest(number), request: Self.digest(1), principal: "p\(number % 2)")
        _ = try await store.createArticle(
            .make(), .sample("once \(number) \u{10FFFF}0", slug: .keep),
            by: Edit(at: .start + Int64(number), by: .key(id: "editor"), key: key))
    }

    private static func digest(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] + [UInt8](repeating: 9, count: 30)
    }
}
