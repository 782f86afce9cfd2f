package import ArticleAPI

/// The conditions for an article besides matching the words.
package struct SearchFilter: Sendable, Hashable {
    /// Tag keys: an article must have all of them.
    package var tags: [String] = []
    package var author: Author.ID?
    package var language: String?
    /// Compared with the source's name.
    package var source: String?
    /// Exclusive.
    package var publishedAfter: Timestamp?
    /// Exclusive.
    package var publishedBefore: Timestamp?

    package init() {}

    /// The keys that an article must have, all of impact 0; times are not among them.
    package var ranges: [TermRange] {
        var keys = tags.map { TermKey.tag($0) }
        if let author { keys.append(.author(author)) }
        if let language { keys.append(.language(language)) }
        if let source { keys.append(.source(source)) }
        return keys.map { TermRange($0) }
    }

    /// Returns true if a time of publication, in milliseconds since 1970, is in the range.
    package func contains(published: Int64) -> Bool {
        if let publishedAfter, published <= publishedAfter.milliseconds { return false }
        if let publishedBefore, published >= publishedBefore.milliseconds { return false }
        return true
    }

    package func matches(_ document: SearchDocument) -> Bool {
        contains(published: document.publishedAt.milliseconds)
            && tags.allSatisfy { key in document.tags.contains { $0.key == key } }
            && (author == nil || document.authors.contains { $0.id == author })
            && (language == nil || document.language == language)
            && (source == nil || document.source == source)
    }
}
