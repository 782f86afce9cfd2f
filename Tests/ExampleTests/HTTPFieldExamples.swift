import BroadsheetHTTP
import Testing

/// The examples of fields and of their values.
@Suite struct HTTPFieldExamples {
    private func request(_ fields: HTTPFields) throws -> HTTPRequest {
        HTTPRequest(.get, try #require(RequestTarget(path: "/")), fields: fields)
    }

    @Test func `fields`() {
        var fields: HTTPFields = [.contentType: "text/plain", .vary: "Origin"]
        fields.append(.vary, "Accept-Encoding")
        fields[.contentType] = "text/html"
        let varies = fields.list(.vary, has: "accept-encoding")
        #expect(varies)
        #expect(fields.combined(.vary) == "Origin, Accept-Encoding")
        #expect(fields.values(of: .contentType) == ["text/html"])
        fields[.etag] = "a\r\nb"
        #expect(fields[.etag] == nil && fields.rejectedName == "ETag")
    }

    @Test func `the name of a field`() {
        var fields = HTTPFields()
        if let name = HTTPFieldName("X-Audience") { fields[name] = "editors" }
        #expect(fields.all.map { "\($0.name): \($0.value)" } == ["X-Audience: editors"])
        #expect(HTTPFieldName("X-Audience: all\r\nX") == nil)
    }

    @Test func `a media type`() {
        let type = MediaType("Text/HTML; charset=\"UTF-8\"")
        let isPage = type?.is("text/html") ?? false
        let charset = type?.parameter("charset")
        #expect(isPage && charset == "UTF-8")
    }

    @Test func `the media types that a client accepts`() throws {
        let offers = ["text/html", "application/json"].compactMap { MediaType($0) }
        let accept = Accept("text/html;q=0.5, application/json")
        let best = accept.best(of: offers)
        #expect(best?.description == "application/json")
        let image = try #require(MediaType("image/png"))
        #expect(accept.quality(of: image) == 0)
    }

    @Test(arguments: [("gzip", true), ("gzip;q=0, *", false), ("identity, gzip;q=0.5", false)])
    func `the content codings that a client accepts`(field: String, expected: Bool) throws {
        let request = try request([.acceptEncoding: field])
        let usesGzip = AcceptEncoding(request.fields).prefersGzip
        #expect(usesGzip == expected)
    }

    @Test func `links`() {
        let field = "</v1/articles?cursor=a>; rel=\"next\", </v1>; rel=\"up\""
        let next = WebLink.links(in: field).first { $0.has(relation: "next") }
        #expect(next?.target == "/v1/articles?cursor=a")
        #expect(WebLink.links(in: field).count == 2)
    }

    @Test func `the nodes that proxies recorded`() {
        let fields: HTTPFields = [.forwarded: "for=192.0.2.1;proto=https, for=unknown"]
        let hosts = ForwardedNodes.forwarded(fields)?.map { $0?.host }
        #expect(hosts == ["192.0.2.1", nil])
    }

    @Test func `the transport that proxies reported`() {
        let fields: HTTPFields = [.xForwardedProto: "https, http"]
        let isSecure = ForwardedTransport(fields) == .secure
        #expect(!isSecure)
        #expect(ForwardedTransport([.xForwardedProto: "https"]) == .secure)
    }

    @Test func `preconditions`() throws {
        let etag = try #require(EntityTag(value: "7-x1y2z3"))
        for (field, expected) in [
            ("\"7-x1y2z3\"", ConditionalRequest.Outcome.notModified), ("\"6-x1y2z3\"", .proceed),
        ] {
            let request = try request([.ifNoneMatch: field])
            let fields = request.fields
            let outcome = ConditionalRequest.outcome(fields, etag: etag, lastModified: nil) {
                etag.stronglyMatches($0)
            }
            #expect(outcome == expected)
        }
    }

    @Test func `entity tags`() {
        var isCurrent = false
        if let sent = EntityTag("W/\"7-x1y2z3\""), let current = EntityTag(value: "7-x1y2z3") {
            isCurrent = sent.weaklyMatches(current)
        }
        #expect(isCurrent)
        #expect(EntityTag(value: "\"") == nil)
    }

    @Test func `a condition with entity tags`() {
        var expected: [EntityTag] = []
        if case .tags(let tags)? = TagCondition("\"6-x1y2z3\", \"7-x1y2z3\"") { expected = tags }
        #expect(expected.map(\.value) == ["6-x1y2z3", "7-x1y2z3"])
    }

    @Test func `dates`() {
        var fields = HTTPFields()
        fields[.lastModified] = HTTPDate.text(784_111_777)
        let seconds = fields[.lastModified].flatMap(HTTPDate.seconds)
        #expect(seconds == 784_111_777)
        #expect(fields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
