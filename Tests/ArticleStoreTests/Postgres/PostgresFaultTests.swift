import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The behaviour of a store when connections are lost.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct PostgresFaultTests {
    /// A store behind a proxy, and an address of its database that is not.
    private func with(
        _ body: (PostgresStore, PostgresProxy, PostgresAddress) async throws -> Void
    ) async throws {
        let cluster = try PostgresServer.shared
        let address = try cluster.newSchema()
        let proxy = try PostgresProxy(to: cluster.folder)
        let store = try PostgresStore.open(proxy.address(of: address))
        do { try await body(store, proxy, address) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The titles of all articles, read by another connection.
    private func titles(_ address: PostgresAddress) throws -> [String] {
        let connection = Connection(.postgres(try PostgresSession(address, settings: [])))
        try connection.execute(script: "BEGIN")
        let row = try connection.statement("SELECT title FROM revisions ORDER BY row")
        var titles: [String] = []
        while try row.step() { titles.append(row.text(0)) }
        return titles
    }

    @Test func `a write whose commit was not answered is acknowledged if it was committed`()
        async throws
    {
        try await with { store, proxy, address in
            for number in 0..<5 {
                proxy.cutNextCommit(.beforeResponse)
                _ = try await store.createArticle(.make(), .sample("a\(number)"), by: .first)
            }
            #expect(try titles(address) == ["a0", "a1", "a2", "a3", "a4"])
            #expect(try await store.changeSequence() == 5)
        }
    }

    @Test func `a write whose commit did not arrive is rejected and leaves nothing behind`()
        async throws
    {
        try await with { store, proxy, address in
            for number in 0..<5 {
                proxy.cutNextCommit(.beforeRequest)
                let error = try await failure {
                    _ = try await store.createArticle(.make(), .sample("lost"), by: .first)
                }
                guard case .unavailable = error else { throw error }
                _ = try await store.createArticle(.make(), .sample("a\(number)"), by: .first)
            }
            #expect(try titles(address) == ["a0", "a1", "a2", "a3", "a4"])
            #expect(try await store.changeSequence() == 5)
        }
    }

    @Test func `reads and writes work again as soon as the database does`() async throws {
        try await with { store, proxy, address in
            let article = try await store.createArticle(.make(), .sample("a"), by: .first)
            proxy.refuse(true)
            proxy.cutAll()
            let read = try await failure { _ = try await store.articleCount() }
            let write = try await failure {
                _ = try await store.createArticle(.make(), .sample("b"), by: .first)
            }
            for error in [read, write] {
                guard case .unavailable = error else { throw error }
            }
            proxy.refuse(false)
            #expect(try await store.articleCount() == 1)
            _ = try await store.createArticle(.make(), .sample("c"), by: .first)
            let found = try await store.edition(of: .id(article.id), visibleTo: .editors)
            #expect(found.article == article)
            #expect(try titles(address) == ["a", "c"])
        }
    }

    @Test func `a read is repeated when its connection was lost`() async throws {
        try await with { store, proxy, _ in
            _ = try await store.createArticle(.make(), .sample("a"), by: .first)
            for _ in 0..<10 {
                proxy.cutAll()
                #expect(try await store.articleCount() == 1)
            }
        }
    }

    @Test func `a store that was cut off says so, and then sees what others committed meanwhile`()
        async throws
    {
        try await with { store, proxy, address in
            _ = try await store.createArticle(.make(), .sample("a"), by: .first)
            let other = try PostgresStore.open(address)
            proxy.refuse(true)
            proxy.cutAll()
            _ = try await other.createArticle(.make(), .sample("b"), by: .first)
            #expect(await store.node.waitUntilCurrent(with: other.node.lastCommit) == false)
            #expect(await eventually { !store.node.isCurrent })
            #expect(other.node.isCurrent)
            proxy.refuse(false)
            #expect(await store.node.becomesCurrent(with: other.node.lastCommit))
            #expect(try await store.articleCount() == 2)
            _ = try await store.createArticle(.make(), .sample("c"), by: .first)
            await other.close()
            #expect(try titles(address) == ["a", "b", "c"])
        }
    }

    @Test func `concurrent writes share commits and get all numbers of the sequence`()
        async throws
    {
        try await with { store, proxy, address in
            // The first commit takes until others wait.
            proxy.hold()
            await withTaskGroup { group in
                group.addTask {
                    #expect(await eventually { store.core.writer.waiting > 1 })
                    proxy.release()
                }
                for number in 0..<200 {
                    group.addTask {
                        do {
                            _ = try await store.createArticle(
                                .make(), .sample("a\(number)"), by: .first)
                        } catch { Issue.record(error) }
                    }
                }
            }
            #expect(try titles(address).count == 200)
            let changes = try await store.changes(after: 0, limit: 1_000)
            #expect(changes.map(\.sequence) == (1...200).map { Int64($0) })
            let commits = store.core.writer.counts.commits
            #expect(commits < 200)
        }
    }
}
