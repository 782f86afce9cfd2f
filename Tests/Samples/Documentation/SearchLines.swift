import BroadsheetKit

/// The best articles for what somebody typed, one line each, with brackets around matches.
func searchLines(
    _ text: String, on backend: BackendService
) async throws(BackendError) -> [String] {
    let page = try await backend.send(SearchArticlesRequest(query: text, limit: 10))
    return page.items.map { hit in
        (hit.title + [SearchPiece(text: ": ")] + hit.excerpt)
            .map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
    }
}
