package import ArticleAPI

/// The names of authors, each from the newest revision of the author that was seen.
///
/// The rename of an author changes none of their articles: a copy replaces the names in by-lines.
package struct AuthorNames: Sendable, Hashable {
    /// A name and the revision of the author that has it; 0 if a byline did not have it.
    package struct Known: Sendable, Hashable {
        package let name: String
        package let revision: Int

        package init(_ name: String, revision: Int) {
            self.name = name
            self.revision = revision
        }
    }

    /// The part of a byline that changed.
    package enum NameUpdates: Sendable { case nothing, revision, name }

    package private(set) var known: [Author.ID: Known]

    package init(_ known: [Author.ID: Known] = [:]) { self.known = known }

    package subscript(_ id: Author.ID) -> String? { known[id]?.name }

    /// - Returns: the part that changes in bylines.
    package mutating func note(_ author: Author) -> NameUpdates {
        note(Known(author.name, revision: author.revision), of: author.id)
    }

    /// Records the name in a byline. One of an older backend has no revision: it only replaces
    /// those of other such bylines.
    ///
    /// - Returns: the part that changes in other bylines.
    package mutating func note(_ reference: Author.Reference) -> NameUpdates {
        note(Known(reference.name, revision: reference.revision ?? 0), of: reference.id)
    }

    private mutating func note(_ new: Known, of id: Author.ID) -> NameUpdates {
        guard let old = known[id] else {
            known[id] = new
            return .nothing
        }
        guard new.revision >= old.revision, new != old else { return .nothing }
        known[id] = new
        return new.name == old.name ? .revision : .name
    }

    package mutating func forget(_ id: Author.ID) { known[id] = nil }

    /// The article with the newest names in its by-line.
    package func naming(_ article: Article) -> Article {
        var named = article
        for index in named.authors.indices {
            guard let newest = known[named.authors[index].id] else { continue }
            named.authors[index].name = newest.name
            if newest.revision > 0 { named.authors[index].revision = newest.revision }
        }
        return named
    }
}
