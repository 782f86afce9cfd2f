import BroadsheetKit
import BroadsheetTesting
import Testing

/// A screen that publishes articles.
@MainActor final class Composer {
    private(set) var message: ErrorText?
    private let backend: BackendService

    init(_ backend: BackendService) { self.backend = backend }

    func publish(_ title: String) async {
        let draft = Article.Draft(title: title, status: .published)
        do throws(BackendError) {
            try await backend.send(CreateArticleRequest(article: draft))
            message = nil
        } catch {
            message = error.text(for: .save, in: .english)
        }
    }
}

@MainActor @Test func `a composer publishes an article, or says why it cannot`() async throws {
    let backend = BackendService.inMemory(.samples, signedInAs: .sample())
    let composer = Composer(backend)
    await composer.publish("Sourdough")
    let published = FetchArticlesRequest(limit: 1, status: .published)
    let newest = try await backend.send(published).items
    #expect(newest.map(\.title) == ["Sourdough"] && composer.message == nil)
    await composer.publish("")
    #expect(composer.message?.title == "Could not save")
}
