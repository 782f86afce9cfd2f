import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import BroadsheetOpenAPI

/// The description of a request whose members make its body.
@Suite struct MemberBodyTests {
    private struct SignInElsewhereRequest: BackendAPIRequest {
        static let endpoint = Endpoint(
            .post, "/v1/own-sessions", name: "signInElsewhere", summary: "Signs in",
            access: .everyone, success: .noContent)
        typealias Item = NoContent
        static let parameters = Parameters(
            Self.init, .member(.required("email", \.email, .text(.line(3...254)))),
            .member(.optional("code", \.code, .integer(0...999_999))))

        var email: String
        var code: Int?
    }

    @Test func `members are described as the properties of a body`() throws {
        let description = APIDescription(
            of: [SignInElsewhereRequest.self], version: "1", examples: WireExamples([]))
        let body = description.document["paths"]?["/v1/own-sessions"]?["post"]?["requestBody"]
        let schema = try #require(body?["content"]?["application/json"]?["schema"])
        #expect(body?["required"] == .boolean(true))
        #expect(schema["required"] == .array([.string("email")]))
        let properties = try #require(schema["properties"])
        #expect(properties.members.map(\.name) == ["email", "code"])
        let text = String(decoding: description.json(), as: UTF8.self)
        #expect(text.contains("254") && text.contains("999999"))
    }
}
