import ArticleAPI
import ArticleClient
import ArticleSearch
import BroadsheetHTTP

/// Everything that a backend in memory has. A copy is a snapshot of it.
struct InMemoryState {
    /// A step of an article's history.
    struct Step {
        let sequence: Int
        let revision: Int
        /// `nil` after a deletion.
        let article: Article?
    }

    /// Something that changes; a copy of the backend's content has it or not.
    enum Subject: Hashable {
        case article(Article.ID)
        case author(Author.ID)
        /// An author for those who only see what is published.
        case byline(Author.ID)
        case comment(ArticleComment.ID)
        case bookmark(User.ID, Article.ID)
    }

    /// A write with an idempotency key: its sender, method, path and key, and its content.
    typealias Write = (scope: String, content: StableHash)

    private let environment: ClientEnvironment
    /// Tells the tokens and versions of this backend from those of another one.
    let epoch: Int64
    private var lastTime: Int64 = 0
    private var lastID: UInt64 = 0
    /// That of the request's sender; `nil` for an anonymous one, who sees only what is published.
    var session: UserSession?

    /// The history of each article, never empty.
    private(set) var articles: [Article.ID: [Step]] = [:]
    /// Current and former slugs: a slug belongs to one article forever.
    var slugs: [String: Article.ID] = [:]
    /// The tags by their keys, with the display names that came first.
    var tags: [String: ArticleTag] = [:]
    private(set) var authors: [Author.ID: Author] = [:]
    var comments: [ArticleComment.ID: ArticleComment] = [:]
    /// Those that were removed, too, so that their revisions count on.
    var bookmarks: [User.ID: [Article.ID: (bookmark: Bookmark, isRemoved: Bool)]] = [:]
    /// The accounts by their folded names; every password is right for one without.
    var accounts: [String: (user: User, password: String?)] = [:]
    /// The sessions, and the refresh tokens before their last renewals.
    var sessions: [(tokens: UserSession, former: String?)] = []
    /// The published articles.
    private(set) var index = MemoryIndex()
    /// The number of the last change.
    private(set) var sequence = 0
    /// The last change of each subject.
    private(set) var log: [Subject: Int] = [:]
    var followers: [Int: AsyncStream<Void>.Continuation] = [:]
    /// The responses to writes with idempotency keys, by their scopes.
    var responses: [String: (content: StableHash, response: HTTPResponse)] = [:]

    init(_ content: BackendService.InMemoryContent, _ environment: ClientEnvironment) {
        self.environment = environment
        epoch = environment.wallSeconds()
        for author in content.authors { add(author) }
        for var article in content.articles {
            precondition(
                articles[article.id] == nil,
                "programmer error: two articles have the id \(article.id)")
            article.slug = freeSlug(like: article.slug, for: article.id)
            article.version = version(article.revision)
            for tag in article.tags where tags[tag.key] == nil { tags[tag.key] = tag }
            for author in article.authors where authors[author.id] == nil {
                let time = article.createdAt
                add(Author(id: author.id, name: author.name, createdAt: time, updatedAt: time))
            }
            record(article, article.id, revision: article.revision)
        }
        for var comment in content.comments {
            comment.version = version(comment.revision)
            comments[comment.id] = comment
            touch(.comment(comment.id))
        }
    }

    // MARK: Time and names

    /// The time of a write: later than that of any before it.
    mutating func newTime() -> Timestamp {
        lastTime = max(environment.wallSeconds() * 1_000, lastTime + 1)
        return now
    }

    var now: Timestamp {
        Timestamp(milliseconds: max(environment.wallSeconds() * 1_000, lastTime))
    }

    /// A new id. It is not random, so that the same requests make the same ids.
    mutating func newID<Subject>() -> Identifier<Subject> {
        lastID += 1
        let time = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
        guard let id = Identifier<Subject>(high: time << 16 | 0x7000, low: 1 << 63 | lastID) else {
            preconditionFailure("programmer error: the version and variant are those of an id")
        }
        return id
    }

    /// The version of a revision in this backend: `7-1a2b3c`.
    func version(_ revision: Int) -> String {
        "\(revision)-" + StableHash.digits(UInt64(clamping: epoch)).suffix(6)
    }

    /// This slug, or the first free one of `x-2`, `x-3`, …
    mutating func freeSlug(like slug: String, for id: Article.ID) -> String {
        var (free, number) = (slug, 1)
        while slugs[free] ?? id != id {
            number += 1
            let ending = "-\(number)"
            free = String(slug.unicodeScalars.prefix(Slug.limit - ending.utf8.count)) + ending
        }
        slugs[free] = id
        return free
    }

    /// The position of something with this time and id in a list.
    static func position<Subject>(_ time: Timestamp, _ id: Identifier<Subject>) -> String {
        StableHash.digits(UInt64(bitPattern: time.milliseconds) ^ 1 << 63) + "\(id)"
    }

    // MARK: Articles and changes

    /// The article as it is; `nil` if there is none, or if it is deleted.
    func article(_ id: Article.ID) -> Article? { articles[id]?.last?.article }

    /// Returns true if the sender sees the article.
    func sees(_ article: Article?) -> Bool {
        article.map { session != nil || $0.status == .published } ?? false
    }

    /// The authors of published articles.
    var publicAuthors: Set<Author.ID> {
        let published = articles.values.compactMap { $0.last?.article }
            .filter { $0.status == .published }
        return Set(published.lazy.flatMap { $0.authors.map(\.id) })
    }

    /// Records a change of the subject.
    mutating func touch(_ subject: Subject) {
        sequence += 1
        log[subject] = sequence
        for follower in followers.values { follower.yield() }
    }

    mutating func add(_ author: Author) {
        var author = author
        author.version = version(author.revision)
        authors[author.id] = author
        touch(.author(author.id))
    }

    /// Records a new state of an article: in its history, in the index, and for the public in the
    /// list of authors.
    ///
    /// - Parameter article: `nil` for a deletion.
    mutating func record(_ article: Article?, _ id: Article.ID, revision: Int) {
        let before = publicAuthors
        touch(.article(id))
        articles[id, default: []].append(
            Step(sequence: sequence, revision: revision, article: article))
        for author in before.symmetricDifference(publicAuthors).sorted() { touch(.byline(author)) }
        // An index in memory cannot be damaged: these functions do not fail.
        if let article, article.status == .published, let document = SearchDocument(article) {
            try? index.add(AnalyzedDocument(SearchText(document)))
        } else {
            _ = try? index.remove(id)
        }
    }

    /// The commits from now on, and the number of their follower.
    mutating func follow() -> (commits: AsyncStream<Void>, number: Int) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = (followers.keys.max() ?? 0) + 1
        followers[number] = continuation
        return (stream, number)
    }

    // MARK: Idempotent writes

    /// A write of the sender.
    func write(_ message: HTTPRequest, key: String) -> Write {
        let sender = session?.user.id.description ?? ""
        let expected = message.fields.combined(.ifMatch) ?? ""
        return (
            "\(sender) \(message.method) \(message.target) \(key)",
            StableHash(Array(expected.utf8) + [0] + message.body)
        )
    }

    /// The response to a write that was carried out before.
    func response(to write: Write) throws(Problem) -> HTTPResponse? {
        guard let (content, response) = responses[write.scope] else { return nil }
        if content == write.content { return response }
        let fault = Problem.Detail(
            "was used for a different request", at: .header("Idempotency-Key"))
        throw Problem(
            .keyReused, detail: "Each write needs its own idempotency key.", errors: [fault])
    }
}

/// The problems of requests.
extension Problem {
    static var notFound: Problem {
        Problem(.notFound, detail: "The requested resource does not exist.")
    }

    static func invalid(_ pointer: String, _ detail: String) -> Problem {
        let fault = Detail(detail, at: .pointer(pointer))
        return RequestValidationError(.invalid, details: [fault]).problem()
    }

    static func badParameter(_ name: String, _ detail: String) -> Problem {
        let fault = Detail(detail, at: .parameter(name))
        return RequestValidationError(.malformed, details: [fault]).problem()
    }

    static func taken(_ kind: Kind, _ detail: String, _ pointer: String) -> Problem {
        Problem(
            kind, detail: detail, errors: [Detail("is already taken", at: .pointer(pointer))])
    }
}

extension IfMatch? {
    /// Rejects a write that expects another version.
    func check(_ version: String?, _ revision: Int) throws(Problem) {
        guard case .tags(let tags)? = self else { return }
        // An entity tag is the version and a hash.
        let isMet = tags.contains { !$0.isWeak && $0.value.hasPrefix(version ?? "?") }
        guard !isMet else { return }
        throw Problem(
            .preconditionFailed,
            detail: "The current revision is \(revision); nothing was changed.",
            errors: [.init("does not match the current revision", at: .header("If-Match"))])
    }
}

/// A list that is requested in pages, in the order of texts that stand for positions.
struct InMemoryList<Item: Sendable> {
    /// Describes what is listed, and for whom: a cursor belongs to one list.
    let name: String
    var isDescending = false
    /// Printable ASCII.
    let position: (Item) -> String

    func page(
        of items: some Sequence<Item>, _ cursor: String?, limit: Int?
    ) throws(Problem) -> Page<Item> {
        let list = StableHash(name.utf8).text
        guard cursor?.hasPrefix(list) ?? true else {
            throw .badParameter(
                "cursor", "is not a valid cursor for this list; restart without a cursor")
        }
        let start = (cursor?.dropFirst(list.count)).map(String.init)
        func precedes(_ one: String, _ other: String) -> Bool {
            isDescending ? other < one : one < other
        }
        let rest = items.map { (place: position($0), item: $0) }
            .filter { item in start.map { precedes($0, item.place) } ?? true }
            .sorted { precedes($0.place, $1.place) }
        let page = rest.prefix(limit ?? 20)
        let next = page.count < rest.count ? page.last.map { list + $0.place } : nil
        return Page(items: page.map(\.item), next: next)
    }
}
