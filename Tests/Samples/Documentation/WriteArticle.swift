import BroadsheetHTTP
import BroadsheetKit

/// Writes a draft, and publishes it unless somebody has changed it meanwhile.
func publish(
    _ draft: Article.Draft, key: String, on backend: BackendService
) async throws(BackendError) -> Article {
    // With a key, a write that got no response is sent again and still done once.
    let create = CreateArticleRequest(article: draft, idempotencyKey: key)
    let reply = try await backend.reply(to: create)
    return try await backend.send(
        UpdateArticleRequest(
            id: reply.item.id, expected: reply.etag.map { .tags([$0]) },
            changes: Article.Changes(status: .set(.published))))
}
