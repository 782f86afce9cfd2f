import ArticleAPI
import ArticleServices
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServices

extension TestBackend {
    /// Waits until the index has what was written so far.
    func waitUntilIndexed() async throws {
        guard await eventually({ backend.indexer.isCurrent }) else {
            throw TestFailure("the index does not become current")
        }
    }

    /// Indexes what was written so far, after which the index stays as it is.
    func indexOnce() async throws {
        let task = Task { await backend.indexer.run() }
        try await waitUntilIndexed()
        task.cancel()
        await task.value
    }

    /// Returns the results of a search.
    func search(
        _ request: SearchArticlesRequest, as sender: Sender = .anonymous
    ) throws -> SearchPage<Article> {
        let response = try send("GET \(RequestPrinter.target(of: request))", as: sender)
        #expect(response.summary == "200", "\(request.query): \(response.text)")
        return try SearchPage<Article>(mapping: response.body)
    }

    /// The titles that a search finds, in order.
    func titles(_ query: String) throws -> [String] {
        try search(SearchArticlesRequest(query: query, limit: 100)).items.map(\.article.title)
    }

    /// Creates an article and returns its path; it is public unless the JSON says otherwise.
    @discardableResult
    func publish(_ title: String, _ members: String = "") throws -> String {
        let json = #"{"title":"\#(title)","status":"published"\#(members)}"#
        let made = try send("POST /v1/articles", as: .editor, json)
        #expect(made.summary == "201", "\(made.text)")
        return "/v1/articles/\(try Article(mapping: made.body).id)"
    }

    func patch(_ path: String, _ json: String) throws {
        let response = try send("PATCH \(path)", as: .editor, json)
        #expect(response.summary == "200", "\(response.text)")
    }
}
