import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// Articles that are read together because they are requested at the same time.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct BatchedReadTests {
    /// Returns the results of many concurrent reads: a title each, or `nil`.
    private func titles(
        _ keys: [Article.ID], in store: PostgresStore, for audience: Audience
    ) async throws -> [String?] {
        try await withThrowingTaskGroup { group in
            for (index, id) in keys.enumerated() {
                group.addTask { () -> (Int, String?) in
                    do {
                        let found = try await store.edition(of: .id(id), visibleTo: audience)
                        return (index, found.article.title)
                    } catch StoreError.notFound { return (index, nil) }
                }
            }
            var titles = [String?](repeating: nil, count: keys.count)
            for try await (index, title) in group { titles[index] = title }
            return titles
        }
    }

    @Test func `each of many reads gets its own article, in few statements`() async throws {
        let server = try PostgresServer.shared
        let address = try server.newSchema()
        let proxy = try PostgresProxy(to: server.folder)
        let store = try PostgresStore.open(proxy.address(of: address))
        var ids: [Article.ID] = []
        for number in 0..<20 {
            let content = ArticleContent.sample(
                "title \(number)", status: number % 5 == 4 ? .draft : .published)
            ids.append(try await store.createArticle(.make(), content, by: .first).id)
        }
        // Each is requested several times, and some that do not exist.
        let keys = (0..<300).map { $0 % 7 == 6 ? Article.ID.make() : ids[$0 % 20] }
        func expected(_ audience: Audience) -> [String?] {
            keys.map { key in
                guard let number = ids.firstIndex(of: key) else { return nil }
                return audience == .everyone && number % 5 == 4 ? nil : "title \(number)"
            }
        }
        for audience in [Audience.editors, .everyone] {
            let before = proxy.requests
            #expect(try await titles(keys, in: store, for: audience) == expected(audience))
            #expect(proxy.requests - before < keys.count)
        }
        // Connections that are lost meanwhile are replaced.
        async let reading = titles(keys, in: store, for: .editors)
        proxy.cutAll()
        #expect(try await reading == expected(.editors))
        await store.close()
        await #expect(throws: StoreError.self) {
            _ = try await store.edition(of: .id(ids[0]), visibleTo: .editors)
        }
    }
}
