import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleOperations
@testable import ArticleServiceCore
@testable import ArticleServices

/// Every request of the contract, by every role, for own objects and those of others.
@Suite struct PermissionTableTests {
    @Test func `the table has every endpoint of the contract`() {
        func place(_ type: any BackendAPIRequest.Type) -> String {
            "\(type.endpoint.method) \(type.endpoint.template)"
        }
        let declared = Set((Contract.requests + Contract.adminRequests).map(place))
        let listed = PermissionTable.rows.map { row in
            String(row.endpoint.prefix { $0 != "?" })
        }
        #expect(declared == Set(listed))
    }

    @Test(arguments: PermissionTable.rows.indices)
    func `each role may do what its row says`(index: Int) async throws {
        let row = PermissionTable.rows[index]
        try #require(row.statuses.count == TableSender.allCases.count)
        try await TestBackend.run(samples: false) { server in
            if row.endpoint.contains("/search") {
                // The index is built after the start.
                try await server.waitUntilIndexed()
            }
            let staff = PermissionAccounts(server)
            for sender in TableSender.allCases {
                let stage = try PermissionStage(server, sender, row, staff)
                try stage.play()
            }
        }
    }
}

/// The accounts of a backend, made when they are first asked for.
private final class PermissionAccounts {
    private let server: TestBackend
    private var accounts: [String: (user: User, session: UserSession)] = [:]

    init(_ server: TestBackend) { self.server = server }

    func account(_ name: String, _ role: String) throws -> (user: User, session: UserSession) {
        if let account = accounts[name] { return account }
        let account = (user: try server.addUser(name, role), session: try server.signIn(name))
        accounts[name] = account
        return account
    }
}

/// One field of the table: the sender and another user, and the object of the request.
private struct PermissionStage {
    private let server: TestBackend
    private let sender: TableSender
    private let row: PermissionRow
    /// The sender's account, if it has one.
    private let user: (user: User, session: UserSession)?
    /// The key that acts for the user, if the sender has one.
    private let key: APIKey?
    /// An author, who owns what the sender does not.
    private let other: (user: User, session: UserSession)
    /// The author of comments on drafts; `nil` in rows about other objects.
    private let editor: (user: User, session: UserSession)?

    init(
        _ server: TestBackend, _ sender: TableSender, _ row: PermissionRow,
        _ staff: PermissionAccounts
    ) throws {
        self.server = server
        self.sender = sender
        self.row = row
        user = try sender.accountRole.map { try staff.account("\(sender)", $0) }
        key = try user.flatMap { account -> APIKey? in
            guard sender == .userKey else { return nil }
            let key = APIKey(
                name: "key", role: .admin, owner: account.0.id, at: TestBackend.opening,
                system: .real)
            let record = String(decoding: key.record.json(), as: UTF8.self)
            let made = try server.send("POST /v1/admin/keys", as: .admin, record)
            try #require(made.status == 204, "\(made.text)")
            return key
        }
        other = try staff.account(row.changesAccounts ? "other-\(sender)" : "other", "author")
        editor =
            row.object == "comment on a draft"
            ? try staff.account("another-editor", "editor") : nil
    }

    func play() throws {
        let id = try object()
        let path = row.endpoint.replacing("{id}", with: id).replacing("{articleID}", with: id)
            .replacing("{number}", with: "1").replacing("{session}", with: session)
        let response = try send(path)
        let expected = row.statuses[sender.rawValue]
        let words = "\(row.endpoint) \(row.ownership) \(row.object) by \(sender): \(response.text)"
        guard expected != 0 else {
            // A backup that is not running is not found.
            let isAdmitted = ![401, 403].contains(response.status)
            #expect(isAdmitted, "\(words)")
            return
        }
        #expect(response.status == expected, "\(words)")
        // What is hidden looks like what does not exist.
        if response.status == 404, path.contains(id) {
            let unknown = try send(path.replacing(id, with: Self.unknown(like: id)))
            #expect(plain(response) == plain(unknown), "\(words)")
        }
    }

    private func plain(_ response: BackendResponse) -> String {
        response.text.replacing(/"instance":"[^"]*"/, with: "")
    }

    private static func unknown(like id: String) -> String {
        id.count == 36 ? Samples.nobody : "fedcba9876543210"
    }

    private func send(_ line: String) throws -> BackendResponse {
        var fields = HTTPFields()
        if line.hasPrefix("PUT /v1/a") { fields.append(.ifMatch, "*") }
        let json = body
        switch sender {
        case .anonymous: return try server.send(line, as: .anonymous, json, with: fields)
        case .readerKey: return try server.send(line, as: .reader, json, with: fields)
        case .editorKey: return try server.send(line, as: .editor, json, with: fields)
        case .userKey:
            let key = try #require(key)
            fields.append(.authorization, "Bearer \(key.text)")
            return try server.send(line, as: .anonymous, json, with: fields)
        case .reader, .author, .editor, .admin:
            let user = try #require(user)
            return try server.send(line, in: user.session, json, with: fields)
        }
    }

    private var body: String? {
        switch row.json {
        case "{draft}":
            #"{"name":"new-\#(sender.rawValue)","password":"correct horse"}"#
        case "{draft of an editor}":
            #"{"name":"new-\#(sender.rawValue)","password":"correct horse","role":"editor"}"#
        case "{sign-in}": #"{"name":"\#(other.user.name ?? "")","password":"correct horse"}"#
        case "{refresh}": #"{"refreshToken":"\#(other.session.refreshToken)"}"#
        default: row.json
        }
    }

    // MARK: Objects

    /// The id of the row's object, which is made for this field alone.
    private func object() throws -> String {
        switch row.object {
        case "draft", "public", "deleted": return try article()
        case "bookmark": return try bookmark()
        case "comment": return try comment(isPending: false)
        case "comment on a draft": return try commentOnDraft()
        case "pending comment": return try comment(isPending: true)
        case "session": return session
        case "user": return owner.user.id.description
        case "key": return server.keys.revokedID
        case "source":
            let made = try server.send(
                "POST /v1/sources", as: .admin,
                #"{"url":"https://example.org/\#(row.endpoint.hashValue)/\#(sender)"}"#)
            return try ContentSource(mapping: made.body).id.description
        case "author":
            let id = Samples.id(0xB0 + sender.rawValue)
            try server.send("PUT /v1/authors/\(id)", as: .editor, #"{"name":"Ghost"}"#)
            return id
        default: return ""
        }
    }

    /// The owner of the account or session.
    private var owner: (user: User, session: UserSession) {
        row.ownership == .own ? user ?? other : other
    }

    /// The public id of the owner's session.
    private var session: String {
        String(owner.session.accessToken.dropFirst(4).prefix(16))
    }

    private func article() throws -> String {
        let isOwn = row.ownership == .own && sender.ownsArticles
        let owner = isOwn ? try #require(user) : other
        let status = ["public", "bookmark"].contains(row.object) ? "published" : "draft"
        let made = try server.send(
            "POST /v1/articles", in: owner.session,
            #"{"title":"Rye \#(sender.rawValue)","status":"\#(status)"}"#)
        let id = try Article(mapping: made.body).id.description
        if row.object == "deleted" {
            #expect(try server.send("DELETE /v1/articles/\(id)", in: owner.session).status == 204)
        }
        return id
    }

    /// A public article that the sender has bookmarked.
    private func bookmark() throws -> String {
        let id = try article()
        if let user {
            let made = try server.send("PUT /v1/me/bookmarks/\(id)", in: user.session)
            #expect(made.status == 200, "\(made.text)")
        }
        return id
    }

    /// A comment of an editor on the draft of an author.
    private func commentOnDraft() throws -> String {
        let editor = try #require(editor)
        let written = try server.send(
            "POST /v1/articles/\(try article())/comments", in: editor.session,
            #"{"body":"Good."}"#)
        try #require(written.status == 201, "\(written.text)")
        return try ArticleComment(mapping: written.body).id.description
    }

    private func comment(isPending: Bool) throws -> String {
        let writer = row.ownership == .own ? user ?? other : other
        let made = try server.send(
            "POST /v1/articles", as: .editor, #"{"title":"Spelt","status":"published"}"#)
        let article = "/v1/articles/\(try Article(mapping: made.body).id)"
        let written = try server.send(
            "POST \(article)/comments", in: writer.session, #"{"body":"Good."}"#)
        try #require(written.status == 201, "\(written.text)")
        let id = try ArticleComment(mapping: written.body).id.description
        guard isPending else { return id }
        // In a moderated thread, a changed comment waits for approval again; an editor's does not.
        try server.send("PATCH \(article)", as: .editor, #"{"comments":"moderated"}"#)
        try server.send("PATCH /v1/comments/\(id)", in: writer.session, #"{"body":"Fine."}"#)
        return id
    }
}
