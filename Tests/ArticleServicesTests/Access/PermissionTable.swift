import ArticleAPI

@testable import ArticleServices

/// The owner of the object of a request: the sender, or another user.
enum Ownership: String, Sendable {
    case own, others
}

/// The sender of a request in the table: each has an account, except the anonymous client and the
/// keys that act for no user. `userKey` is an admin's key that acts for an author.
enum TableSender: Int, Sendable, CaseIterable {
    case anonymous, readerKey, reader, author, userKey, editorKey, editor, admin

    /// The role of its account; `nil` if it has none.
    var accountRole: String? {
        switch self {
        case .anonymous, .readerKey, .editorKey: nil
        case .userKey: "author"
        case .reader, .author, .editor, .admin: "\(self)"
        }
    }

    /// True if it can own articles.
    var ownsArticles: Bool { accountRole.map { $0 != "reader" } ?? false }
}

/// One line of the table: a request about an object, and the status for each sender.
struct PermissionRow: Sendable {
    /// The method and the template of the endpoint.
    let endpoint: String
    let ownership: Ownership
    /// The kind of object of `{id}`, or of the article that a list belongs to: `draft`, `public`,
    /// `deleted`, `bookmark`, `comment`, `pending comment`, `comment on a draft`, `session`,
    /// `user`, `key`, `author`, `source`.
    let object: String
    let json: String?
    /// In the order of `TableSender`. 0 is any status but 401, 403 and 404: the request was
    /// admitted, and its value is examined elsewhere.
    let statuses: [Int]

    /// A request about no single object.
    init(_ endpoint: String, json: String? = nil, _ statuses: Int...) {
        self.init(endpoint, .others, "", json: json, all: statuses)
    }

    init(
        _ endpoint: String, _ ownership: Ownership, _ object: String, json: String? = nil,
        _ statuses: Int...
    ) {
        self.init(endpoint, ownership, object, json: json, all: statuses)
    }

    /// The same statuses for several requests.
    static func each(
        _ endpoints: [(String, String?)], _ ownership: Ownership, _ object: String,
        _ statuses: [Int]
    ) -> [PermissionRow] {
        endpoints.map { PermissionRow($0.0, ownership, object, json: $0.1, all: statuses) }
    }

    private init(
        _ endpoint: String, _ ownership: Ownership, _ object: String, json: String?,
        all statuses: [Int]
    ) {
        self.endpoint = endpoint
        self.ownership = ownership
        self.object = object
        self.json = json
        self.statuses = statuses
    }

    /// True if it is about the account or a session of a user, who is then another one for each
    /// sender.
    var changesAccounts: Bool {
        ["session", "user"].contains(object) || endpoint.contains("{session}")
    }
}

/// Every endpoint by every role, for own objects and those of others.
enum PermissionTable {
    static let rows = articles + histories + shared + comments + accounts + administration

    private static let article = "/v1/articles/{id}"
    private static let writes: [(String, String?)] = [
        ("PUT \(article)", #"{"title":"Loaf","status":"draft"}"#),
        ("PATCH \(article)", #"{"title":"Loaf"}"#),
    ]

    private static let articles: [PermissionRow] =
        [
            PermissionRow("GET /v1/articles", 200, 200, 200, 200, 200, 200, 200, 200),
            PermissionRow(
                "POST /v1/articles", json: #"{"title":"Rye"}"#, 401, 403, 403, 201, 201, 201, 201,
                201),
            PermissionRow(
                "GET \(article)", .others, "public", 200, 200, 200, 200, 200, 200, 200, 200),
            PermissionRow(
                "GET \(article)", .others, "draft", 404, 404, 404, 404, 404, 200, 200, 200),
            PermissionRow("GET \(article)", .own, "draft", 404, 404, 404, 200, 200, 200, 200, 200),
            PermissionRow(
                "GET \(article)", .others, "deleted", 404, 404, 404, 404, 404, 404, 404, 404),
            PermissionRow(
                "GET \(article)", .own, "deleted", 404, 404, 404, 404, 404, 404, 404, 404),
            PermissionRow(
                "DELETE \(article)", .others, "public", 401, 403, 403, 403, 403, 204, 204, 204),
            PermissionRow(
                "DELETE \(article)", .others, "draft", 401, 403, 403, 404, 404, 204, 204, 204),
            PermissionRow(
                "DELETE \(article)", .own, "draft", 401, 403, 403, 204, 204, 204, 204, 204),
        ]
        + PermissionRow.each(writes, .others, "public", [401, 403, 403, 403, 403, 200, 200, 200])
        + PermissionRow.each(writes, .others, "draft", [401, 403, 403, 404, 404, 200, 200, 200])
        + PermissionRow.each(writes, .others, "deleted", [401, 403, 403, 404, 404, 404, 404, 404])
        + PermissionRow.each(writes, .own, "public", [401, 403, 403, 200, 200, 200, 200, 200])
        + PermissionRow.each(writes, .own, "draft", [401, 403, 403, 200, 200, 200, 200, 200])

    private static let history: [(String, String?)] = [
        ("GET \(article)/revisions", nil), ("GET \(article)/revisions/{number}", nil),
        ("POST \(article)/revisions/{number}/restore", nil),
    ]

    private static let histories =
        PermissionRow.each(history, .others, "public", [401, 403, 403, 403, 403, 200, 200, 200])
        + PermissionRow.each(history, .others, "draft", [401, 403, 403, 404, 404, 200, 200, 200])
        + PermissionRow.each(history, .others, "deleted", [401, 403, 403, 404, 404, 200, 200, 200])
        + PermissionRow.each(history, .own, "draft", [401, 403, 403, 200, 200, 200, 200, 200])
        + PermissionRow.each(history, .own, "deleted", [401, 403, 403, 200, 200, 200, 200, 200])
        + [PermissionRow("GET /v1/deleted-articles", 401, 403, 403, 200, 200, 200, 200, 200)]

    /// The changes of an article's comments, which are where the list of these is.
    private static let thread = "GET /v1/changes?types=comment&article={id}"

    private static let shared: [PermissionRow] = [
        PermissionRow("GET /v1/tags", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("GET /feeds/articles.atom", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("GET /feeds/articles.rss", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("GET /feeds/articles.json", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("GET /openapi.json", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(
            "POST /v1/preview", json: #"{"body":"*x*"}"#, 401, 403, 403, 200, 200, 200, 200, 200),
        PermissionRow("GET /v1/authors", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(
            "GET /v1/authors/{id}", .others, "author", 404, 404, 404, 404, 404, 200, 200, 200),
        PermissionRow(
            "PUT /v1/authors/{id}", .others, "author", json: #"{"name":"Mina"}"#,
            401, 403, 403, 403, 403, 200, 200, 200),
        PermissionRow("GET /v1/search?q=bread", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("GET /v1/changes", 200, 200, 200, 200, 200, 200, 200, 200),
        // A stream does not end, so the token is not a valid one.
        PermissionRow("GET /v1/changes/stream?since=x", 400, 400, 400, 400, 400, 400, 400, 400),
        PermissionRow("GET /v1/changes?types=bookmark", 401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow(
            "GET /v1/changes/stream?types=bookmark&since=x",
            401, 403, 400, 400, 400, 403, 400, 400),
        PermissionRow(thread, .others, "public", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(thread, .others, "draft", 404, 404, 404, 404, 404, 200, 200, 200),
        PermissionRow(thread, .own, "draft", 404, 404, 404, 200, 200, 200, 200, 200),
        PermissionRow(thread, .own, "deleted", 404, 404, 404, 404, 404, 404, 404, 404),
    ]

    private static let comments: [PermissionRow] = [
        PermissionRow(
            "GET \(article)/comments", .others, "public", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(
            "GET \(article)/comments", .others, "draft", 404, 404, 404, 404, 404, 200, 200, 200),
        PermissionRow(
            "GET \(article)/comments", .own, "draft", 404, 404, 404, 200, 200, 200, 200, 200),
        PermissionRow(
            "POST \(article)/comments", .others, "public", json: #"{"body":"Good."}"#,
            401, 403, 201, 201, 201, 403, 201, 201),
        PermissionRow(
            "POST \(article)/comments", .others, "draft", json: #"{"body":"Good."}"#,
            401, 403, 404, 404, 404, 403, 201, 201),
        PermissionRow(
            "POST \(article)/comments", .own, "draft", json: #"{"body":"Good."}"#,
            401, 403, 404, 201, 201, 403, 201, 201),
        PermissionRow("GET /v1/comments", 401, 403, 403, 403, 403, 200, 200, 200),
        PermissionRow(
            "GET /v1/comments/{id}", .others, "comment", 200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(
            "GET /v1/comments/{id}", .others, "pending comment", 404, 404, 404, 404, 404, 200, 200,
            200),
        PermissionRow(
            "GET /v1/comments/{id}", .own, "pending comment", 404, 404, 200, 200, 200, 200, 200, 200
        ),
        PermissionRow(
            "PATCH /v1/comments/{id}", .others, "comment", json: #"{"body":"Better."}"#,
            401, 403, 403, 403, 403, 403, 403, 403),
        PermissionRow(
            "PATCH /v1/comments/{id}", .own, "comment", json: #"{"body":"Better."}"#,
            401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow(
            "PATCH /v1/comments/{id}", .others, "pending comment", json: #"{"body":"Better."}"#,
            401, 403, 404, 404, 404, 403, 403, 403),
        PermissionRow(
            "PATCH /v1/comments/{id}", .own, "comment", json: #"{"status":"hidden"}"#,
            401, 403, 403, 403, 403, 200, 200, 200),
        PermissionRow(
            "PATCH /v1/comments/{id}", .others, "comment", json: #"{"status":"hidden"}"#,
            401, 403, 403, 403, 403, 200, 200, 200),
        PermissionRow(
            "DELETE /v1/comments/{id}", .others, "comment", 401, 403, 403, 403, 403, 204, 204, 204),
        PermissionRow(
            "DELETE /v1/comments/{id}", .others, "pending comment",
            401, 403, 404, 404, 404, 204, 204, 204),
        PermissionRow(
            "DELETE /v1/comments/{id}", .own, "comment", 401, 403, 204, 204, 204, 204, 204, 204),
        PermissionRow(
            "GET /v1/comments/{id}", .own, "comment on a draft",
            404, 404, 404, 200, 200, 200, 200, 200),
        PermissionRow(
            "GET /v1/comments/{id}", .others, "comment on a draft",
            404, 404, 404, 404, 404, 200, 200, 200),
    ]

    private static let bookmark = "/v1/me/bookmarks/{articleID}"

    private static let accounts: [PermissionRow] = [
        PermissionRow("POST /v1/users", json: "{draft}", 201, 201, 201, 201, 201, 201, 201, 201),
        PermissionRow(
            "POST /v1/users", json: "{draft of an editor}", 422, 422, 422, 422, 422, 422, 422, 201),
        PermissionRow("GET /v1/users", 401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "GET /v1/users/{id}", .others, "user", 401, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow(
            "PATCH /v1/users/{id}", .others, "user", json: #"{"role":"editor"}"#,
            401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "PATCH /v1/users/{id}", .own, "user", json: #"{"role":"admin"}"#,
            401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "DELETE /v1/users/{id}", .others, "user", 401, 403, 403, 403, 403, 403, 403, 204),
        PermissionRow(
            "DELETE /v1/users/{id}", .own, "user", 401, 403, 403, 403, 403, 403, 403, 204),
        PermissionRow(
            "GET /v1/users/{id}/sessions", .others, "user",
            401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "GET /v1/users/{id}/sessions", .own, "user", 401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "DELETE /v1/users/{id}/sessions/{session}", .others, "user",
            401, 403, 403, 403, 403, 403, 403, 204),
        PermissionRow(
            "DELETE /v1/users/{id}/sessions/{session}", .own, "user",
            401, 403, 403, 403, 403, 403, 403, 204),
        PermissionRow("GET /v1/sources", 401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "POST /v1/sources", json: #"{"url":"https://example.org/new"}"#,
            401, 403, 403, 403, 403, 403, 403, 201),
        PermissionRow(
            "GET /v1/sources/{id}", .others, "source", 401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "PATCH /v1/sources/{id}", .others, "source", json: #"{"paused":true}"#,
            401, 403, 403, 403, 403, 403, 403, 200),
        PermissionRow(
            "POST /v1/sources/{id}/poll", .others, "source",
            401, 403, 403, 403, 403, 403, 403, 202),
        PermissionRow(
            "DELETE /v1/sources/{id}", .others, "source", 401, 403, 403, 403, 403, 403, 403, 204),
        PermissionRow("POST /v1/invitations", json: "{}", 401, 403, 403, 403, 403, 403, 403, 201),
        // The secret in the body decides, not the sender's credentials.
        PermissionRow(
            "POST /v1/sessions", .others, "session", json: "{sign-in}",
            201, 201, 201, 201, 201, 201, 201, 201),
        PermissionRow(
            "POST /v1/sessions/refresh", .others, "session", json: "{refresh}",
            200, 200, 200, 200, 200, 200, 200, 200),
        PermissionRow("DELETE /v1/sessions/current", 401, 403, 204, 204, 403, 403, 204, 204),
        PermissionRow("GET /v1/me", 401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow(
            "PATCH /v1/me", json: #"{"displayName":"M."}"#, 401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow(
            "DELETE /v1/me", json: #"{"current":"correct horse"}"#, 401, 403, 204, 204, 403, 403,
            204, 204),
        PermissionRow(
            "PUT /v1/me/password",
            json: #"{"current":"correct horse","password":"battery staple"}"#,
            401, 403, 204, 204, 403, 403, 204, 204),
        PermissionRow("GET /v1/me/export", 401, 403, 200, 200, 403, 403, 200, 200),
        PermissionRow("GET /v1/me/sessions", 401, 403, 200, 200, 403, 403, 200, 200),
        PermissionRow(
            "DELETE /v1/me/sessions/{id}", .others, "session", 401, 403, 404, 404, 403, 403, 404,
            404),
        PermissionRow(
            "DELETE /v1/me/sessions/{id}", .own, "session", 401, 403, 204, 204, 403, 403, 204, 204),
        PermissionRow("GET /v1/me/bookmarks", 401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow("PUT \(bookmark)", .others, "public", 401, 403, 200, 200, 200, 403, 200, 200),
        PermissionRow("PUT \(bookmark)", .others, "draft", 401, 403, 404, 404, 404, 403, 200, 200),
        PermissionRow("PUT \(bookmark)", .own, "draft", 401, 403, 404, 200, 200, 403, 200, 200),
        PermissionRow(
            "DELETE \(bookmark)", .others, "public", 401, 403, 404, 404, 404, 403, 404, 404),
        PermissionRow(
            "DELETE \(bookmark)", .own, "bookmark", 401, 403, 204, 204, 204, 403, 204, 204),
    ]

    private static let administration = PermissionRow.each(
        [
            ("GET /v1/admin/state", nil), ("GET /v1/admin/check", nil),
            ("GET /v1/admin/keys", nil), ("POST /v1/admin/keys", "{}"),
            ("POST /v1/admin/keys/{id}/revocation", nil), ("POST /v1/admin/imports", "{}"),
            ("GET /v1/admin/export", nil), ("POST /v1/admin/restorations", "{}"),
            ("POST /v1/admin/backups", "{}"), ("GET /v1/admin/backups/current", nil),
            ("GET /v1/admin/backup", nil), ("POST /v1/admin/import?name=a.md", "{}"),
            ("GET /v1/admin/statistics", nil), ("POST /v1/admin/history", nil),
            ("POST /v1/admin/vacuum", nil), ("POST /v1/admin/purge", "{}"),
        ], .others, "key", [401, 403, 403, 403, 403, 403, 403, 0])
}
