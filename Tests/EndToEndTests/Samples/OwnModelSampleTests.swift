import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import DocumentationSamples

/// The listings of the page about models of an app's own.
@Suite @MainActor struct OwnModelSampleTests {
    @Test func `podcasts and a feed are there after a relaunch without a network`() async throws {
        let isOffline = Lock(false)
        let folder = try TemporaryFolder()
        func library() throws -> OfflineLibrary {
            let stub = BackendService.stub { routes in
                @Sendable func check() throws {
                    if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
                }
                routes.on(FetchPodcastsRequest.self) { _ in
                    try check()
                    return [Podcast(id: 2, title: "Rye"), Podcast(id: 1, title: "Wheat")]
                }
                routes.on(PartialRequest<FetchArticlesRequest>.self) { _ in
                    try check()
                    let text =
                        #"{"items":[{"id":"\#(Article.ID(at: Timestamp(milliseconds: 1)))","#
                        + #""title":"Bread","revision":1}]}"#
                    return try Page<PartialArticle>(mapping: Array(text.utf8))
                }
            }
            return try OfflineLibrary(.file(folder.file("a.store")), on: stub)
        }
        do {
            let first = try library()
            #expect(try await podcastTitles(from: first) == ["Rye", "Wheat"])
            try await PictureFeed(first).refresh()
            try await follow(ArticleTag(named: "Baking"), in: first.store)
            try await follow(ArticleTag(named: "BAKING"), in: first.store)
        }
        isOffline.withLock { $0 = true }
        let again = try library()
        #expect(try await podcastTitles(from: again) == ["Rye", "Wheat"])
        let feed = PictureFeed(again)
        #expect(await eventually { feed.titles == ["Bread"] })
        let followed = try await again.store.loadValue([ArticleTag].self, forKey: "followed")
        #expect(followed?.count == 1)
    }
}
