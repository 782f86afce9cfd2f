import ArticleAPI
import ArticleStore

/// The audiences that may see a difference after commits, so that only these read.
struct AffectedAudiences: Sendable, Equatable {
    private enum Readers: Int {
        case nobody
        /// Audiences that see hidden content.
        case few
        case everyone

        mutating func add(_ other: Readers) {
            if other.rawValue > rawValue { self = other }
        }
    }

    /// The readers of articles and authors.
    private var content = Readers.nobody
    /// The articles that changed, or whose comments did, and the readers of these comments.
    private var articles: [Article.ID: Readers] = [:]
    /// The users whose bookmarks changed.
    private var users: Set<User.ID> = []
    /// True if there are too many articles or users to list.
    private var hasAllReaders = false

    private static let most = 10_000

    static let nobody = AffectedAudiences()

    static var everybody: AffectedAudiences {
        var audiences = AffectedAudiences()
        audiences.content = .everyone
        audiences.hasAllReaders = true
        return audiences
    }

    private init() {}

    init(_ changes: CommitChanges) {
        guard let records = changes.records else {
            self = .everybody
            return
        }
        for record in records {
            let readers = record.isPublic ? Readers.everyone : .few
            switch record.subject {
            case .article(let id), .comment(_, on: let id):
                articles[id, default: .nobody].add(readers)
            case .author: break
            case .bookmark: if let user = record.bookmarker { users.insert(user) }
            }
            if record.isOfContent { content.add(readers) }
        }
    }

    mutating func add(_ other: AffectedAudiences) {
        content.add(other.content)
        for (id, readers) in other.articles { articles[id, default: .nobody].add(readers) }
        users.formUnion(other.users)
        hasAllReaders = hasAllReaders || other.hasAllReaders
        guard hasAllReaders || articles.count + users.count > Self.most else { return }
        hasAllReaders = true
        articles = [:]
        users = []
    }

    func affects(_ query: ChangeQuery) -> Bool {
        let readers = query.audience == .everyone ? Readers.everyone : .few
        if !query.kinds.isDisjoint(with: SyncKind.content), content.rawValue >= readers.rawValue {
            return true
        }
        let article = query.kinds.contains(.comment) ? query.article : nil
        let user = query.kinds.contains(.bookmark) ? query.user : nil
        // Users see their own comments.
        let readersOfComments = query.user == nil ? readers : .few
        return article.map { hasAllReaders || has(readersOfComments, of: $0) } ?? false
            || user.map { hasAllReaders || users.contains($0) } ?? false
    }

    private func has(_ readers: Readers, of article: Article.ID) -> Bool {
        articles[article].map { $0.rawValue >= readers.rawValue } ?? false
    }
}
