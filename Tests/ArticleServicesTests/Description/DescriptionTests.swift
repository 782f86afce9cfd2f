import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import ArticleResources
@testable import ArticleServices

/// `GET /openapi.json`.
@Suite struct DescriptionTests {
    private static let description = APIDescription.ofBackend(version: "0").json()

    @Test(arguments: [Sender.anonymous, .reader, .editor])
    func `everyone receives the description, which can be stored`(sender: Sender) async throws {
        try await TestBackend.run { server in
            let whole = try server.send("GET /openapi.json", as: sender)
            #expect(whole.summary == "200" && whole.body == Self.description)
            #expect(whole.fields[.contentType] == "application/json")
            let tag = try #require(whole.fields[.etag])
            #expect(EntityTag(tag)?.isWeak == false)
            let again = try server.send(
                "GET /openapi.json", as: sender, with: [.ifNoneMatch: tag])
            #expect(again.summary == "304")
        }
    }

    @Test func `it is compressed`() async throws {
        try await TestBackend.run { server in
            let response = try server.send(
                "GET /openapi.json", as: .anonymous, with: [.acceptEncoding: "gzip"])
            #expect(response.fields[.contentEncoding] == "gzip")
            #expect(response.body.count < Self.description.count / 5)
            #expect(response.fields[.cacheControl] == "public, no-cache")
        }
    }

    @Test func `changes of articles do not change it`() async throws {
        try await TestBackend.run { server in
            let before = try server.send("GET /openapi.json", as: .anonymous)
            let created = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Rye","status":"published"}"#)
            #expect(created.summary == "201")
            let after = try server.send("GET /openapi.json", as: .anonymous)
            #expect(after.fields[.etag] == before.fields[.etag])
        }
    }

    @Test func `it takes no parameters`() async throws {
        try await TestBackend.run { server in
            let response = try server.send("GET /openapi.json?pretty=1", as: .anonymous)
            #expect(response.summary == "400 malformed-request ?pretty")
        }
    }
}
