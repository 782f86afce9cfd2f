import BroadsheetKit

/// Remembers that the user follows a tag.
func follow(_ tag: ArticleTag, in store: ModelStore) async throws(OfflineError) {
    try await store.changeValue([ArticleTag].self, forKey: "followed") { tags in
        guard tags?.contains(where: { $0.key == tag.key }) != true else { return }
        tags = (tags ?? []) + [tag]
    }
}
