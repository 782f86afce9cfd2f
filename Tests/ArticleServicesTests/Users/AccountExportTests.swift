import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// The export of the data kept about a user.
@Suite struct AccountExportTests {
    private static let line = "GET /v1/me/export"

    /// The export of a response, which has exactly the attributes of the model, in their order.
    private static func export(_ response: BackendResponse) throws -> AccountExport {
        try #require(response.summary == "200", "\(response.text)")
        let export = try AccountExport(mapping: response.body)
        #expect(export.json() == response.body)
        return export
    }

    /// Signs up with an invitation, and signs in.
    private static func join(
        _ server: TestBackend
    ) throws -> (UserSession, Invitation) {
        let invited = try server.send(
            "POST /v1/invitations", as: .admin, #"{"role":"author"}"#)
        let invitation = try Invitation(mapping: invited.body)
        let made = try server.send(
            "POST /v1/users", as: .anonymous,
            #"{"name":"mina","password":"\#(correctPassword)","#
                + #""invitation":"\#(invitation.code ?? "")"}"#)
        try #require(made.summary == "201", "\(made.text)")
        let signedIn = try server.send(
            "POST /v1/sessions",
            #"{"name":"mina","password":"\#(correctPassword)","device":"Mina's phone"}"#,
            from: "203.0.113.7")
        return (try UserSession(mapping: signedIn.body), invitation)
    }

    /// Creates a key that acts for the user.
    private static func createKey(
        _ name: String, for session: UserSession, _ server: TestBackend
    ) throws -> APIKey {
        let key = APIKey(
            name: name, role: .author, owner: session.user.id, at: TestBackend.opening,
            system: .real)
        let record = String(decoding: key.record.json(), as: UTF8.self)
        try #require(try server.send("POST /v1/admin/keys", as: .admin, record).status == 204)
        return key
    }

    /// Two comments of a user on an article, the second of which an editor hides.
    private static func comment(
        on article: Article, _ server: TestBackend, _ session: UserSession
    ) throws {
        for body in ["first", "second"] {
            let made = try server.send(
                "POST /v1/articles/\(article.id)/comments", in: session,
                #"{"body":"\#(body) of \#(session.user.name ?? "")"}"#)
            server.pass(milliseconds: 1)
            guard body == "second" else { continue }
            let id = try ArticleComment(mapping: made.body).id
            let hidden = try server.send(
                "PATCH /v1/comments/\(id)", as: .editor, #"{"status":"hidden"}"#)
            try #require(hidden.summary == "200")
        }
    }

    @Test func `an export has everything about its user and nothing about others`()
        async throws
    {
        try await TestBackend.run(samples: false, signUp: .invitation) { server in
            let (session, invitation) = try Self.join(server)
            try server.addUser("bora", "author")
            let other = try server.signIn("bora")
            let key = try Self.createKey("Mina's", for: session, server)
            _ = try Self.createKey("Bora's", for: other, server)
            var articles: [Article] = []
            for (session, status) in [(session, "draft"), (other, "published")] {
                let made = try server.send(
                    "POST /v1/articles", in: session,
                    #"{"title":"Rye of \#(session.user.name ?? "")","status":"\#(status)"}"#)
                articles.append(try Article(mapping: made.body))
            }
            for session in [session, other] {
                try Self.comment(on: articles[1], server, session)
                let saved = try server.send(
                    "PUT /v1/me/bookmarks/\(articles[1].id)", in: session, #"{"position":0.4}"#)
                try #require(saved.summary == "200")
            }

            let response = try server.send(Self.line, in: session)
            #expect(response.fields[.cacheControl] == "no-store")
            #expect(response.fields[.contentType] == "application/json")
            #expect(
                response.fields[.contentDisposition] == "attachment; filename=\"account.json\"")
            let export = try Self.export(response)
            #expect(export.account == session.user)
            #expect(export.invitation?.id == invitation.id && export.invitation?.role == .author)
            #expect(export.identities.isEmpty)
            #expect(export.sessions.map(\.device) == ["Mina's phone"])
            #expect(export.sessions.map(\.address) == ["203.0.113.7"])
            #expect(export.sessions.map(\.isCurrent) == [true])
            #expect(export.keys.map(\.id) == [key.record.id])
            #expect(export.articles.map(\.title) == ["Rye of mina"])
            #expect(export.articles.map(\.status) == [.draft])
            #expect(export.comments.map(\.body) == ["first of mina", "second of mina"])
            #expect(export.comments.map(\.status) == [.visible, .hidden])
            #expect(export.bookmarks.map(\.articleID) == [articles[1].id])
            #expect(export.bookmarks.map(\.position) == [0.4])
            let text = response.text.lowercased()
            for secret in ["bora", "argon2", "bsa_", "bsr_", "bsi_", "bsk_", "digest", "editor"] {
                #expect(!text.contains(secret), "\(secret)")
            }

            // A key can leak from a program.
            let fields: HTTPFields = [.authorization: "Bearer \(key.text)"]
            let byKey = try server.send(Self.line, as: .anonymous, with: fields)
            #expect(byKey.status == 403)
        }
    }

    @Test func `what is too long for memory is complete and in order`() async throws {
        try await TestBackend.run(samples: false) { server in
            let user = try server.addUser("mina")
            let session = try server.signIn("mina")
            let store = server.backend.store
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Rye","status":"published"}"#)
            let article = try Article(mapping: made.body).id
            let text = String(repeating: "\u{D55C}\"", count: 2_500)
            var rules = CommentRules()
            (rules.commentsPerMinute, rules.commentsPerHour) = (.max, .max)
            for number in 0..<200 {
                let time = TestBackend.opening.advanced(byMilliseconds: Int64(number))
                let content = CommentContent(
                    article: article, body: "\(number) \(text)", writer: user.id)
                _ = try await store.createComment(
                    ArticleComment.ID(at: time), content, under: rules,
                    by: Edit(at: time, by: .operator))
            }
            let response = try server.send(Self.line, in: session)
            // More than the pieces in which it is written and sent.
            #expect(response.body.count > 2 << 20)
            let export = try Self.export(response)
            #expect(export.comments.map(\.body) == (0..<200).map { "\($0) \(text)" })
            let empty = try server.addUser("bora")
            let other = try Self.export(
                server.send(Self.line, in: server.signIn("bora")))
            #expect(other.account == empty && other.comments.isEmpty && other.bookmarks.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a user has one export at a time`() async throws {
        try await TestBackend.run(samples: false) { server in
            let mina = try server.addUser("mina")
            let session = try server.signIn("mina")
            // Another export, which is not over, keeps that of the request from beginning.
            let isHeld = DispatchSemaphore(value: 0)
            defer { isHeld.signal() }
            let began = Signal()
            async let held: Void = server.backend.store.exportAccount(mina.id) { record in
                guard case .account = record else { return }
                began.give()
                isHeld.wait()
            }
            await began.wait()
            try await withThrowingTaskGroup(of: BackendResponse.self) { group in
                for _ in 0..<2 {
                    group.addTask { try server.send(Self.line, in: session) }
                }
                let rejected = try #require(try await group.next())
                #expect(rejected.summary == "429 too-many-requests")
                #expect(rejected.fields[.retryAfter] == "5")
                isHeld.signal()
                let taken = try #require(try await group.next())
                #expect(taken.summary == "200")
            }
            isHeld.signal()
            try await held
            // It is over when the client has received it.
            for _ in 0..<3 {
                #expect(try server.send(Self.line, in: session).summary == "200")
            }
        }
    }

    @Test func `an export counts as 50 requests`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let limit = try #require(RateLimit(requests: 40, seconds: 86_400))
            try await server.backend.run(with: .local { $0.limits.keyRate = limit }) { test in
                let fields: HTTPFields = [.authorization: "Bearer \(session.accessToken)"]
                let me = try test.client.send(.get, "/v1/me", fields: fields)
                #expect(me.status == 200)
                let export = try test.client.send(.get, "/v1/me/export", fields: fields)
                #expect(export.status == 429 && export.text.contains("counts as 50 requests"))
            }
        }
    }
}
