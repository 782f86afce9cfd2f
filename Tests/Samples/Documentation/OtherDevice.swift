import BroadsheetKit
import BroadsheetTesting
import Testing

@Test func `an edit that meets somebody else's is a conflict`() async throws {
    let user = User.sample()
    let backend = BackendService.inMemory(.samples, signedInAs: user)
    let library = try OfflineLibrary(.memory(of: "\(user.id)"), on: backend)
    try await library.refresh()
    let article = try #require(try await library.store.loadArticles().first?.article)
    try await library.outbox.update(article, .init(title: .set("Mine")))
    try await backend.otherDevice(signedInAs: .sample(id: .sample(2), name: "leo")).send(
        UpdateArticleRequest(article, changes: .init(title: .set("Theirs"))))
    try await library.refresh()
    #expect(await library.outbox.state.conflicts.count == 1)
}
