import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Observation
import Testing

/// Lists that ask the backend and follow the store.
@MainActor @Suite struct FetchedListTests {
    private let request = FetchArticlesRequest(tag: "baking", limit: 5)
    private let isDown = Lock(false)

    private func library(_ titles: [String]) throws -> OfflineLibrary {
        let articles = titles.enumerated().map { index, title in
            article(
                index + 1, title: title, tags: ["Baking"],
                at: Timestamp(milliseconds: Int64(index) + 1))
        }
        let backend = BackendService.stub { [isDown] routes in
            routes.on(FetchArticlesRequest.self) { _ in
                if isDown.withLock({ $0 }) { throw Problem(.forbidden) }
                return Page(items: articles)
            }
        }
        return try OfflineLibrary(.memory, on: backend)
    }

    private func titles(_ list: ObservedArticles) -> Set<String> {
        Set(list.articles.map(\.article.title))
    }

    /// Waits as a view does, until the objects that the condition reads satisfy it.
    private func observed(_ condition: () -> Bool) async {
        while true {
            let changed = Signal()
            guard !withObservationTracking(condition, onChange: { changed.give() }) else { return }
            await changed.wait()
        }
    }

    @Test func `a list is fetched, and then follows the store`() async throws {
        let library = try library(["Rye", "Spelt"])
        let list = ObservedArticles(of: request, in: library)
        #expect(list.isFetching)
        await observed { list.articles.count == 2 && !list.isFetching }
        #expect(list.error == nil && titles(list) == ["Rye", "Spelt"])
        #expect(library.backend.received(FetchArticlesRequest.self) == [request])
        var edited = try #require(list.articles.first).article
        (edited.title, edited.revision) = ("Rye bread", edited.revision + 1)
        try await library.store.merge([
            .facts(ModelFacts(edited, knowing: .inLists, seenAt: edited.updatedAt))
        ])
        await observed { titles(list).contains("Rye bread") }
    }

    @Test func `an error stands beside what the store has, until a refresh succeeds`() async throws
    {
        let library = try library(["Rye"])
        try await library.backend.send(request)
        isDown.withLock { $0 = true }
        let list = ObservedArticles(of: request, in: library)
        await observed { list.error != nil && list.isLoaded }
        #expect(list.error?.problem?.kind == .forbidden && titles(list) == ["Rye"])
        isDown.withLock { $0 = false }
        await list.refresh()
        #expect(list.error == nil && !list.isFetching)
        // A list of a store has nobody to ask.
        let stored = ObservedArticles(in: library.store)
        await stored.refresh()
        #expect(library.backend.received(FetchArticlesRequest.self).count == 3)
    }

    @Test func `a list that is gone cancels its fetch`() async throws {
        let (asked, never) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchArticlesRequest.self) { _ in
                asked.give()
                await withTaskCancellationHandler {
                    await never.wait()
                } onCancel: {
                    never.give()
                }
                return Page(items: [])
            }
        }
        var list: ObservedArticles? = ObservedArticles(
            of: request, in: try OfflineLibrary(.memory, on: backend))
        weak let former = list
        await asked.wait()
        list = nil
        await never.wait()
        #expect(former == nil)
    }

    @Test func `a property has one list for each request and library`() async throws {
        let (first, second) = (try library(["Rye"]), try library(["Spelt"]))
        let property = ArticlesProperty()
        property.show(request, in: nil)
        #expect(property.list == nil)
        property.show(request, in: first)
        let list = try #require(property.list)
        property.show(request, in: first)
        #expect(property.list === list)
        property.show(FetchArticlesRequest(tag: "baking", limit: 6), in: first)
        #expect(property.list !== list)
        property.show(FetchArticlesRequest(tag: "baking", limit: 6), in: second)
        let other = try #require(property.list)
        await observed { titles(other) == ["Spelt"] }
        property.show(request, in: nil)
        #expect(property.list == nil)
    }
}
