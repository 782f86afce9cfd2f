import ArticleClient
import ArticleOffline
import Testing

/// The locations of stores.
@Suite struct PlaceTests {
    @Test func `no account name leaves the folder`() throws {
        let place = ModelStore.Location.file(
            in: "folder", of: "../../etc/passwd", at: "https://example.org")
        let path = try #require(place.path)
        #expect(path.hasPrefix("folder/articles-") && !path.contains(".."))
        #expect(place.account == "../../etc/passwd")
    }

    @Test func `each backend and account has a file of its own`() {
        let places = [
            ModelStore.Location.file(in: "", of: nil, at: "https://example.org"),
            .file(in: "", of: "", at: "https://example.org"),
            .file(in: "", of: "ada", at: "https://example.org"),
            .file(in: "", of: "ada", at: "https://example.com"),
            .file(in: "", of: "Ada", at: "https://example.org"),
        ]
        #expect(Set(places.map(\.path)).count == places.count)
    }
}
