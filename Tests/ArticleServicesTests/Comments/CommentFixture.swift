import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// A backend with a public article, and with users who comment on it: each sends a key of their
/// own.
struct CommentFixture: Sendable {
    enum Person: String, CaseIterable {
        case ada, bob
        /// An author.
        case ann
        /// An editor.
        case eve

        fileprivate var role: Role {
            switch self {
            case .ada, .bob: .reader
            case .ann: .author
            case .eve: .editor
            }
        }
    }

    static let opening = Timestamp(milliseconds: 1_800_000_000_000)
    static let article = Article.ID(at: opening)
    static let thread = "/v1/articles/\(article)/comments"

    let backend: Backend
    let store: SQLiteStore
    let client: TestClient
    private let users: [Person: UserRecord]
    private let keys: [Person: String]
    private let clock: ManualClock

    static func run(
        _ rules: CommentRules = CommentRules(),
        store configuration: SQLiteConfiguration = SQLiteConfiguration(),
        _ body: (CommentFixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(
            folder.file("store.db"), configuration: configuration)
        let clock = ManualClock(at: opening)
        var users: [Person: UserRecord] = [:]
        var keys: [Person: String] = [:]
        for person in Person.allCases {
            let role = person.role
            let user = UserRecord(
                id: User.ID(at: opening), name: person.rawValue, nameKey: person.rawValue,
                displayName: "Dr \(person)", role: role.rawValue, passwordHash: nil,
                createdAt: opening)
            try await store.createUser(user, using: nil, at: opening)
            let key = APIKey(
                name: person.rawValue, role: role, owner: user.id, at: opening, system: .real)
            try await store.createKey(key.record)
            users[person] = user
            keys[person] = key.text
        }
        let draft = Article.Draft(
            title: "Bread", body: "Flour.", status: .published, publishedAt: opening)
        let content = ArticleContent(draft, slug: .keep, measure: TextMeasure(draft.body))
        _ = try await store.createArticle(
            article, content, by: Edit(at: opening, by: .operator))
        let backend = try await Backend(
            store: store, file: store, comments: rules,
            accounts: AccountConfiguration(
                signUp: .invitation, hasher: PasswordHasher(width: 1, depth: 1, cost: .least)),
            system: clock.wakefulSystem, log: { _ in })
        try await backend.run { test in
            try await body(
                CommentFixture(
                    backend: backend, store: store, client: test.client, users: users, keys: keys,
                    clock: clock))
        }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("store.db")).findings == [])
    }

    func user(_ person: Person) throws -> UserRecord { try #require(users[person]) }

    /// Advances the clock.
    func pass(milliseconds: Int64) { clock.advance(milliseconds: milliseconds) }

    /// Sends `"<method> <target>"` with a person's key and optional JSON.
    @discardableResult
    func send(
        _ line: String, as person: Person?, _ json: String? = nil,
        with fields: HTTPFields = HTTPFields()
    ) throws -> BackendResponse {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let method = try #require(HTTPMethod(words[0]))
        var all = fields
        if let person { all[.authorization] = "Bearer \(try #require(keys[person]))" }
        if json != nil { all[.contentType] = "application/json" }
        return BackendResponse(
            try client.send(method, words[1], fields: all, body: Array((json ?? "").utf8)))
    }

    /// Opens a change stream with a person's key.
    func stream(_ query: String, as person: Person?) throws -> EventStreamClient {
        let key = try person.map { "Authorization: Bearer \(try #require(keys[$0]))\r\n" }
        return try EventStreamClient(
            client.address, "/v1/changes/stream?\(query)", fields: key ?? "")
    }

    /// Writes a comment; the next one is a millisecond later.
    func comment(_ body: String, as person: Person, to parent: ArticleComment.ID? = nil) throws
        -> ArticleComment
    {
        let draft = ArticleComment.Draft(parentID: parent, body: body)
        let response = try send(
            "POST \(Self.thread)", as: person, String(decoding: draft.json(), as: UTF8.self))
        try #require(response.status == 201, "\(response.text)")
        pass(milliseconds: 1)
        return try ArticleComment(mapping: response.body)
    }

    /// The bodies of the comments that somebody sees.
    func bodies(as person: Person?) throws -> [String] {
        let response = try send("GET \(Self.thread)", as: person)
        return try Page<ArticleComment>(mapping: response.body).items.map(\.body)
    }

    /// Sets an attribute of the article.
    func set(_ json: String) throws {
        let patched = try send("PATCH /v1/articles/\(Self.article)", as: .eve, json)
        try #require(patched.status == 200, "\(patched.text)")
    }
}
