import ArticleAPI
import ArticleAdminAPI
import BroadsheetTestSupport
import Testing

@Suite(.mayBlock) struct OpenAPICommandTests {
    @Test func `the command prints what the server serves`() throws {
        let folder = try TemporaryFolder()
        let printed = try Program.run("openapi")
        #expect(printed.status == 0 && printed.output.count == 1)
        let served = try RunningServer(folder.file("a.db"))
        let response = try served.client.get("/openapi.json")
        #expect(response.body == Array((printed.output.first ?? "").utf8))
        let description = try APIDescription(mapping: response.body)
        #expect(description.json() == response.body)
        #expect(served.stop() == 0)
    }

    @Test func `it takes no arguments`() throws {
        let ended = try Program.run("openapi", "yaml")
        #expect(ended.status == 64 && ended.output.isEmpty && ended.errors.count == 1)
    }
}
