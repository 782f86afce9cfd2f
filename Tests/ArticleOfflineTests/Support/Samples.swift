import ArticleAPI
import ArticleOffline
import BroadsheetPlatform
import BroadsheetSQLite
import BroadsheetTestSupport
import CBroadsheetSQLite

/// Models of a newsroom that tests invent.
enum Samples {
    static func id<Subject>(_ number: Int) -> Identifier<Subject> {
        guard let id = Identifier<Subject>(high: UInt64(number) << 16 | 0x7000, low: 1 << 63)
        else { preconditionFailure("programmer error: these bits are an id") }
        return id
    }

    static func time(_ seconds: Int) -> Timestamp {
        Timestamp(milliseconds: 1_700_000_000_000 + Int64(seconds) * 1_000)
    }

    static func article(
        _ number: Int, revision: Int = 1, title: String? = nil, body: String? = nil,
        history: String = "aaaaaa"
    ) -> Article {
        Article(
            id: id(number), slug: "article-\(number)",
            title: title ?? "Article \(number).\(revision)", body: body, language: "en",
            status: .published, publishedAt: time(number), createdAt: time(number),
            updatedAt: time(1_000 + revision), revision: revision,
            version: "\(revision)-\(history)", wordCount: 1, readingMinutes: 1)
    }

    static func listed(
        _ number: Int, revision: Int = 1, title: String? = nil, history: String = "aaaaaa",
        seenAt seconds: Int = 0
    ) -> ModelUpdate {
        let article = article(number, revision: revision, title: title, history: history)
        return .facts(ModelFacts(article, knowing: .inLists, seenAt: time(seconds)))
    }

    static func whole(
        _ number: Int, revision: Int = 1, body: String = "Body", seenAt seconds: Int = 0
    ) -> ModelUpdate {
        let article = article(number, revision: revision, body: body)
        return .facts(ModelFacts(article, knowing: .inArticles, seenAt: time(seconds)))
    }

    static func author(_ number: Int, revision: Int = 1, name: String) -> Author {
        Author(
            id: id(number), name: name, createdAt: time(0), updatedAt: time(revision),
            revision: revision, version: "\(revision)-bbbbbb")
    }

    static func comment(_ number: Int, on article: Int, revision: Int = 1) -> ArticleComment {
        ArticleComment(
            id: id(number), articleID: id(article), body: "Comment \(number).\(revision)",
            createdAt: time(number), updatedAt: time(revision), revision: revision,
            version: "\(revision)-cccccc")
    }
}

/// A folder with the file of a store, which a test opens as often as it likes.
final class StoreFolder: Sendable {
    let folder: TemporaryFolder
    private let reported = Lock([StoreEvent]())

    init() throws { folder = try TemporaryFolder() }

    var path: String { folder.file("articles.store") }

    var events: [StoreEvent] { reported.withLock { $0 } }

    func open(
        limits: ModelStore.Limits = ModelStore.Limits(), of account: String? = nil
    ) throws(OfflineError) -> ModelStore {
        try ModelStore(.file(path, of: account), limits: limits) { [self] event in
            reported.withLock { $0.append(event) }
        }
    }
}

/// The content of a database, by a connection of the test's own.
typealias RawDatabase = SQLiteDatabase<OfflineError>

extension RawDatabase {
    convenience init(_ path: String) throws(OfflineError) {
        try self.init(path, flags: SQLITE_OPEN_READWRITE)
        try execute(script: "PRAGMA busy_timeout = 60000")
    }
}

extension ModelStore {
    func titles(
        matching query: ArticleQuery = ArticleQuery(), order: ArticleSort = .newestFirst,
        limit: Int = 100
    ) throws(OfflineError) -> [String] {
        try loadArticles(matching: query, order: order, limit: limit).map(\.article.title)
    }
}
