import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// An index of PostgreSQL takes no entry of more than 2,704 bytes (`BTMaxItemSize`), unless it can
/// be compressed.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresIndexTests {
    /// The most bytes of the texts in an entry, by the limits of those who write them. A scalar has
    /// up to 5 bytes: see `PostgresText`.
    private static let limits = [
        // The kind and the id of an actor.
        "actors_kind_id_key": 5 * 100,
        "authors_by_name": 5 * ArticleLimits.authorName.upperBound,
        // The key of a tag, whose letters fold to three at most, or the name of a source.
        "facets_kind_key_key": 5
            * max(3 * ArticleLimits.tag.upperBound, ArticleLimits.sourceName.upperBound),
        // An https URL, and what a token or an export says of its user.
        "identities_pkey": 2_000 + 255,
        // The name and the title of a file.
        "imports_by_name": 1_000 + 5 * ArticleLimits.title.upperBound,
        "imports_pkey": 1_000,
        "invitations_pkey": 16,
        "keys_pkey": 16,
        // The id of a key or of a user.
        "kept_counts_pkey": 64,
        "kept_rejections": 64,
        "kept_writes_by_principal": 64,
        "search_terms_pkey": 128,
        "secrets_pkey": 32,
        "sessions_pkey": 16,
        "slugs_pkey": Slug.limit,
        "sources_url_key": 2_000,
        "users_name_key_key": 5 * 100,
    ]

    @Test func `every text in an index has a limit with which it fits`() async throws {
        let address = try PostgresServer.shared.newSchema()
        let store = try PostgresStore.open(address)
        let session = try PostgresSession(address, settings: [])
        // Ids and digests have constraints.
        let result = try session.run(
            """
            SELECT DISTINCT entry.relname
            FROM pg_class AS entry JOIN pg_attribute ON attrelid = entry.oid
            WHERE relkind = 'i' AND relnamespace = current_schema()::regnamespace
                AND (atttypid = 'text'::regtype
                    OR atttypid = 'bytea'::regtype AND attname IN ('key', 'first')
                        AND relname NOT LIKE 'source_entries%')
            """)
        let indexes = (0..<result.rows).map { result.text($0, 0) }
        #expect(Set(indexes) == Set(Self.limits.keys))
        // Beside the texts, an entry has some numbers and lengths.
        #expect(Self.limits.values.allSatisfy { $0 + 100 <= 2_704 })
        await store.close()
    }

    @Test func `the longest identity is found by its index`() async throws {
        let store = try PostgresStore.open(PostgresServer.shared.newSchema())
        var random = SplitMix64(seed: 1)
        func text(_ count: Int) -> String {
            String(
                decoding: (0..<count).map { _ in UInt8(0x21 + random.next() % 94) }, as: UTF8.self)
        }
        let identity = IdentityRecord(issuer: text(2_000), subject: text(255))
        let user = UserRecord.sample()
        try await store.createUser(user, using: nil, identity: identity, at: .start)
        #expect(try await store.user(identifiedBy: identity) == user)
        await store.close()
    }
}
