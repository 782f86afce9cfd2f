import BroadsheetKit

/// One article, and how much its text may be trusted.
func readFirstSteps(on backend: BackendService) async throws(BackendError) -> String {
    let request = FetchArticleRequest(key: .slug("your-first-request"))
    let reply = try await backend.reply(to: request)
    // `.network`, `.revalidated` (the backend confirmed the copy) or `.cached`.
    return "\(reply.item.title) (\(reply.source))"
}
