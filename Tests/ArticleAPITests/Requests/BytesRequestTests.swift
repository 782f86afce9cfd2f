import ArticleAPI
import BroadsheetHTTP
import Testing

/// Requests and responses of raw bytes.
struct BytesRequestTests {
    private struct PutPictureRequest: BackendAPIRequest {
        static let endpoint = Endpoint(.put, "/pictures/{name}", access: .writeArticles)
        typealias Item = RawBody
        static let parameters = Parameters(
            Self.init, .path("name", \.name, .line(1...100)),
            .bytes(\.picture, mediaTypes: ["image/png", "image/jpeg"]))

        var name: String
        var picture: [UInt8]
    }

    private func parse(_ request: HTTPRequest) throws -> PutPictureRequest {
        try PutPictureRequest(
            parsing: try #require(RequestSource(request, for: PutPictureRequest.endpoint)))
    }

    @Test func `bytes are transferred unchanged`() throws {
        let request = PutPictureRequest(name: "a/b ?", picture: [0, 255, 10])
        var printed = RequestPrinter.print(request)
        #expect(printed.target.description == "/pictures/a%2Fb%20%3F")
        #expect(printed.fields[.contentType] == "image/png")
        #expect(printed.fields[.accept] == "application/octet-stream, application/problem+json")
        #expect(printed.body == request.picture)
        #expect(try parse(printed) == request)
        printed.fields[.contentType] = "image/jpeg"
        #expect(try parse(printed) == request)
    }

    @Test func `bytes of another type, or none, are rejected`() throws {
        var printed = RequestPrinter.print(PutPictureRequest(name: "a", picture: [1]))
        printed.fields[.contentType] = "image/gif"
        let rejection = #expect(throws: RequestValidationError.self) { try parse(printed) }
        #expect(rejection?.reason == .unsupportedMediaType)
        printed.body = []
        #expect(throws: RequestValidationError.self) { try parse(printed) }
    }

    @Test func `a request whose path does not match is not a source`() throws {
        for path in ["/pictures", "/pictures/a/b", "/picture/a", "/"] {
            let target = try #require(RequestTarget(path.utf8))
            let request = HTTPRequest(.put, target)
            #expect(RequestSource(request, for: PutPictureRequest.endpoint) == nil)
        }
    }
}
