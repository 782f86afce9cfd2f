import ArticleAPI
import ArticleStore

/// The numbers of records of each kind in an export.
package struct ExportCounts: Sendable, Hashable {
    package var users = 0
    package var authors = 0
    package var articles = 0
    package var revisions = 0
    package var comments = 0
    package var bookmarks = 0

    mutating func count(_ record: ExportRecord) {
        switch record {
        case .user: users += 1
        case .author: authors += 1
        case .article: articles += 1
        case .revision: revisions += 1
        case .comment: comments += 1
        case .bookmark: bookmarks += 1
        }
    }
}

extension ExportCounts: JSONModel {
    static let shape = ObjectCodec(
        {
            (
                _: String, users: Int, authors: Int, articles: Int, revisions: Int, comments: Int,
                bookmarks: Int
            ) in
            ExportCounts(
                users: users, authors: authors, articles: articles, revisions: revisions,
                comments: comments, bookmarks: bookmarks)
        },
        .required("kind", kind("end"), .kind),
        .defaulted("users", to: 0, \.users, .integer(0...Int.max)),
        .required("authors", \.authors, .integer(0...Int.max)),
        .required("articles", \.articles, .integer(0...Int.max)),
        .required("revisions", \.revisions, .integer(0...Int.max)),
        .defaulted("comments", to: 0, \.comments, .integer(0...Int.max)),
        .defaulted("bookmarks", to: 0, \.bookmarks, .integer(0...Int.max)))
}
