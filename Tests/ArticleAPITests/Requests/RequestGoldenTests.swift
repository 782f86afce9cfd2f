import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

/// The wire form of every request, byte by byte.
struct RequestGoldenTests {
    @Test(arguments: Samples.requests.indices)
    func `a request is serialized as in its golden file`(index: Int) throws {
        try check(Samples.requests[index])
    }

    private func check<Request: BackendAPIRequest>(_ request: Request) throws {
        let printed = RequestPrinter.print(request)
        let head = "\(printed.method) \(printed.target) HTTP/1.1\r\n"
        let bytes = Array(head.utf8) + printed.fields.wireBytes + [13, 10] + printed.body
        try GoldenFiles.check(bytes, "\(Request.self).http")
        let source = try #require(RequestSource(printed, for: Request.endpoint))
        #expect(try Request(parsing: source) == request)
    }

    @Test func `every registered request has a golden file`() throws {
        let sampled = Set(Samples.requests.map { "\(type(of: $0))" })
        #expect(sampled == Set(Contract.requests.map { "\($0)" }))
        let files = try GoldenFiles.names.filter { $0.hasSuffix(".http") }
        #expect(Set(files) == Set(sampled.map { "\($0).http" }))
    }

    @Test func `the target suffices for Location and Link`() {
        let request = FetchArticleRequest(key: .slug("a-세상"))
        #expect(RequestPrinter.target(of: request) == "/v1/articles/a-%EC%84%B8%EC%83%81")
        let list = FetchArticlesRequest(tags: ["C++ & co"])
        #expect(RequestPrinter.target(of: list) == "/v1/articles?tag=C%2B%2B%20%26%20co")
    }
}
