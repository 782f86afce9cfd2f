import ArticleAPI
import ArticleAdminAPI
import ArticleStore

/// Validates that the records of an export are complete and in order.
///
/// The references of comments and bookmarks are left to the store, as there may be very many.
struct ExportOrderValidator {
    /// The parts of an export in their order.
    private enum Part: Int {
        case users, authors, articles, comments, bookmarks
    }

    private(set) var counts = ExportCounts()
    private var isEnded = false
    private var part = Part.users
    private var lastUser: User.ID?
    private var lastBookmark: ExportedBookmark?
    private var authors: Set<Author.ID> = []
    private var lastAuthor: Author.ID?
    private var article: ExportedArticle?
    private var lastRevision: Article?

    package mutating func take(_ line: ExportLine) throws(LineFault) {
        guard !isEnded else { throw LineFault(reason: "there is data after the end of the export") }
        switch line {
        case .record(let record):
            switch record {
            case .user(let user): try take(user)
            case .author(let author): try take(author)
            case .article(let article): try take(article)
            case .revision(let revision):
                try take(revision.article)
                try check(revision.actor)
            case .comment: try enter(.comments)
            case .bookmark(let bookmark): try take(bookmark)
            }
            counts.count(record)
        case .end(let counts):
            guard counts == self.counts else {
                throw LineFault(reason: "the export has missing or extra records")
            }
            isEnded = true
        }
    }

    /// - Throws: if the last line is missing.
    func finish() throws(LineFault) {
        guard isEnded else { throw LineFault(reason: "the export is truncated") }
    }

    private mutating func enter(_ next: Part) throws(LineFault) {
        guard part.rawValue <= next.rawValue else {
            throw LineFault(reason: "$.kind is out of order")
        }
        part = next
    }

    private mutating func take(_ user: ExportedUser) throws(LineFault) {
        try enter(.users)
        guard lastUser.map({ $0 < user.record.id }) ?? true else {
            throw LineFault(reason: "$.user.id is out of order")
        }
        lastUser = user.record.id
    }

    private mutating func take(_ next: ExportedBookmark) throws(LineFault) {
        try enter(.bookmarks)
        if let last = lastBookmark {
            let isNext =
                last.user == next.user
                ? last.bookmark.articleID < next.bookmark.articleID : last.user < next.user
            guard isNext else { throw LineFault(reason: "$.bookmark is out of order") }
        }
        lastBookmark = next
    }

    private mutating func take(_ author: Author) throws(LineFault) {
        try enter(.authors)
        guard lastAuthor.map({ $0 < author.id }) ?? true else {
            throw LineFault(reason: "$.author.id is out of order")
        }
        lastAuthor = author.id
        authors.insert(author.id)
    }

    private mutating func take(_ next: ExportedArticle) throws(LineFault) {
        try enter(.articles)
        guard article.map({ $0.id < next.id }) ?? true else {
            throw LineFault(reason: "$.id is out of order")
        }
        for (name, slugs) in [("aliases", next.aliases), ("formerSlugs", next.formerSlugs)] {
            guard slugs.allSatisfy({ isName($0, of: next.id) }) else {
                throw LineFault(reason: "$.\(name) contains the id of another article")
            }
        }
        article = next
        lastRevision = nil
    }

    private mutating func take(_ next: Article) throws(LineFault) {
        try enter(.articles)
        guard let article, next.id == article.id else {
            throw LineFault(reason: "$.article.id differs from the preceding article's")
        }
        guard next.revision == (lastRevision?.revision ?? 0) + 1 else {
            throw LineFault(reason: "$.article.revision is not the next revision")
        }
        guard next.createdAt == lastRevision?.createdAt ?? next.createdAt else {
            throw LineFault(reason: "$.article.createdAt differs from the preceding revision's")
        }
        guard isName(next.slug, of: next.id) else {
            throw LineFault(reason: "$.article.slug is the id of another article")
        }
        guard next.body != nil else { throw LineFault(reason: "$.article.body is missing") }
        guard next.authors.allSatisfy({ authors.contains($0.id) }) else {
            throw LineFault(reason: "$.article.authors has an author that is not in the export")
        }
        lastRevision = next
    }

    /// Keys and users have ids, and no others.
    private func check(_ actor: Revision.Actor) throws(LineFault) {
        let needsID = actor.kind == .key || actor.kind == .user
        if needsID, actor.id == nil { throw LineFault(reason: "$.actor.id is missing") }
        if !needsID, actor.id != nil {
            throw LineFault(reason: "$.actor.id is not an attribute of this kind of actor")
        }
    }

    /// A slug may look like an id only if it is the article's own.
    private func isName(_ slug: String, of id: Article.ID) -> Bool {
        Article.ID(slug).map { $0 == id && slug == id.description } ?? true
    }
}
