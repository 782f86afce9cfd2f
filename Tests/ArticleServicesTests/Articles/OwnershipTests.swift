import ArticleAPI
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import Testing

/// The attribute `owner`: who sets it, and who sees it.
@Suite struct OwnershipTests {
    private static let bread = "/v1/articles/\(Samples.bread)"

    private static func user(_ number: Int, _ role: String) -> UserRecord {
        let id = User.ID(Samples.id(0xB0 + number)) ?? User.ID(at: TestBackend.opening)
        return UserRecord(
            id: id, name: "u\(number)", nameKey: "u\(number)", displayName: "U\(number)",
            role: role, passwordHash: nil, createdAt: TestBackend.opening)
    }

    private static let ada = user(1, "author")
    private static let ben = user(2, "editor")
    private static let ron = user(3, "reader")

    private static func run(_ body: (TestBackend) async throws -> Void) async throws {
        try await TestBackend.run { server in
            for user in [ada, ben, ron] {
                try await server.backend.store.createUser(
                    user, using: nil, at: TestBackend.opening)
            }
            try await body(server)
        }
    }

    @Test func `editors hand articles over to those who may write`() async throws {
        try await Self.run { server in
            func give(_ owner: String) throws -> String {
                let response = try server.send(
                    "PATCH \(Self.bread)", as: .editor, #"{"owner":\#(owner)}"#)
                let owner = try? Article(mapping: response.body).owner
                return "\(response.summary) \(owner?.description ?? "-")"
            }
            for user in [Self.ada, Self.ben] {
                #expect(try give("\"\(user.id)\"") == "200 \(user.id)")
            }
            #expect(try give("\"\(Self.ron.id)\"") == "422 invalid-values /owner -")
            #expect(try give("\"\(Samples.nobody)\"") == "422 invalid-values /owner -")
            #expect(try give("\"ada\"").contains(" /owner"))
            #expect(try server.article(Samples.bread).revision == 3)
            #expect(try give("null") == "200 -")
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Rye","owner":"\#(Self.ada.id)"}"#)
            #expect(try Article(mapping: made.body).owner == Self.ada.id)
        }
    }

    @Test func `a replacement without an owner keeps the owner`() async throws {
        try await Self.run { server in
            try server.send(
                "PATCH \(Self.bread)", as: .editor, #"{"owner":"\#(Self.ada.id)"}"#)
            for (json, owner) in [
                (#"{"title":"Rye"}"#, Self.ada.id),
                (#"{"title":"Rye","owner":"\#(Self.ben.id)"}"#, Self.ben.id),
            ] {
                let replaced = try server.send(
                    "PUT \(Self.bread)", as: .editor, json, with: [.ifMatch: "*"])
                #expect(replaced.summary == "200")
                #expect(try server.article(Samples.bread).owner == owner)
            }
        }
    }

    @Test func `the public does not see owners`() async throws {
        try await Self.run { server in
            let start = try server.send("GET /v1/changes?since=now").token
            let owner = "\(Self.ada.id)"
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"owner":"\#(owner)"}"#)
            let targets = [
                Self.bread, "\(Self.bread)?fields=owner", "/v1/articles/fresh-bread",
                "/v1/articles", "/v1/articles?fields=owner,title", "/v1/changes",
                "/v1/changes?since=\(start)",
            ]
            for target in targets {
                for sender in [Sender.anonymous, .reader] {
                    let response = try server.send("GET \(target)", as: sender)
                    #expect(response.summary == "200", "\(target)")
                    #expect(response.text.contains(Samples.bread), "\(target)")
                    #expect(!response.text.contains(owner), "\(target)")
                }
            }
            for target in targets.dropLast() {
                let response = try server.send("GET \(target)", as: .editor)
                #expect(response.text.contains("\"owner\":\"\(owner)\""), "\(target)")
            }
        }
    }
}
