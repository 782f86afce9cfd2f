import ArticleAPI
import ArticleAdminAPI
import Testing

@testable import ArticleResources
@testable import ArticleServices

@Suite struct PublicURLsTests {
    @Test func `URLs are made of the server's, with its path`() throws {
        for server in ["https://example.org/api", "https://example.org/api/"] {
            let addresses = try #require(PublicURLs(server: server))
            #expect(addresses.home == "https://example.org/api/")
            #expect(
                addresses.url(of: FetchAtomFeedRequest(FeedQuery(tags: ["a b"])))
                    == "https://example.org/api/feeds/articles.atom?tag=a%20b")
            #expect(
                addresses.url(ofArticle: "빵")
                    == "https://example.org/api/v1/articles/%EB%B9%B5")
        }
    }

    @Test func `pages of articles are where the template says`() throws {
        let addresses = PublicURLs(
            server: "https://api.example.org", articlePage: "https://example.org/p/{slug}.html?a=1")
        #expect(
            addresses?.url(ofArticle: "a-빵") == "https://example.org/p/a-%EB%B9%B5.html?a=1")
    }

    @Test(arguments: [
        "", "example.org", "/api", "ftp://example.org", "https://", "https://example.org?a",
        "https://example.org/#a", "https://a:b@example.org", "https://example.org/é",
        "https://example.org/a b", "javascript:alert(1)",
    ])
    func `other texts are not servers`(text: String) {
        #expect(PublicURLs(server: text) == nil)
    }

    @Test(arguments: [
        "https://example.org/", "/{slug}", "https://example.org/{slug}/{slug}", "{slug}",
        "https://example.org/{Slug}", "https://exa mple.org/{slug}", "javascript:{slug}",
    ])
    func `other texts are not templates`(text: String) {
        #expect(!PublicURLs.isArticlePage(text))
        #expect(PublicURLs(server: "https://example.org", articlePage: text) == nil)
    }
}
