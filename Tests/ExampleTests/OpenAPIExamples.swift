import ArticleAPI
import ArticleAdminAPI
import BroadsheetOpenAPI
import Testing

/// The examples in the documentation of `OpenAPI`.
struct OpenAPIExamples {
    @Test func `examples of a description`() throws {
        let examples = WireExamples([("Tag.json", Array(#"{"key": "rye", "name": "Rye"}"#.utf8))])
        let requests: [any BackendAPIRequest.Type] = [FetchTagsRequest.self]
        let description = APIDescription(of: requests, version: "1.0", examples: examples)
        let text = String(decoding: description.json(), as: UTF8.self)
        #expect(text.contains("/v1/tags") && text.contains("TagUsagePage"))
    }
}
