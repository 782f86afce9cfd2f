import BroadsheetKit

/// Brings a copy of the articles with a tag up to date, and saves it after each step.
func follow(
    _ copy: inout ArticleCopy, on backend: BackendService,
    save: ([UInt8]) throws -> Void
) async throws {
    let filter = FetchChangesRequest(tags: ["writing"])
    for try await step in backend.changes(since: copy.token, matching: filter) {
        copy.apply(step)
        try save(copy.json())
    }
}

/// The copy that was saved; an empty one if there is none, or if it cannot be read.
func savedCopy(_ bytes: [UInt8]?) -> ArticleCopy {
    bytes.flatMap { try? ArticleCopy(mapping: $0) } ?? ArticleCopy()
}
