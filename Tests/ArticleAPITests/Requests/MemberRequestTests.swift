import ArticleAPI
import BroadsheetHTTP
import Testing

/// Requests whose own members make the body.
struct MemberRequestTests {
    private struct SignInAtOwnServer: BackendAPIRequest {
        static let endpoint = Endpoint(.post, "/login/{realm}", access: .everyone)
        typealias Item = NoContent
        static let parameters = Parameters(
            Self.init, .path("realm", \.realm, .line(1...20)),
            .member(.required("email", \.email, .text(.line(3...100)))),
            .query("trace", \.trace, .line(1...20)),
            .member(.optional("code", \.code, .integer(0...999_999))),
            .member(.defaulted("device", to: "phone", \.device, .text(.line(1...20)))))

        var realm: String
        var email: String
        var trace: String?
        var code: Int?
        var device: String
    }

    private let request = SignInAtOwnServer(
        realm: "a", email: "mina@example.org", trace: "t", code: 7, device: "tablet")

    private func parse(_ request: HTTPRequest) throws -> SignInAtOwnServer {
        try SignInAtOwnServer(
            parsing: try #require(RequestSource(request, for: SignInAtOwnServer.endpoint)))
    }

    /// The faults of a request with another body.
    private func faults(_ body: String) throws -> RequestValidationError? {
        var printed = RequestPrinter.print(request)
        printed.body = Array(body.utf8)
        return #expect(throws: RequestValidationError.self) { try parse(printed) }
    }

    @Test func `the members are one object, in their order`() throws {
        let printed = RequestPrinter.print(request)
        #expect(
            String(decoding: printed.body, as: UTF8.self)
                == #"{"email":"mina@example.org","code":7,"device":"tablet"}"#)
        #expect(printed.fields[.contentType] == "application/json")
        #expect(printed.target.description == "/login/a?trace=t")
        #expect(try parse(printed) == request)
    }

    @Test func `absent and null members are nil, or the default`() throws {
        var expected = request
        (expected.code, expected.device) = (nil, "phone")
        for body in [
            #"{"email":"mina@example.org"}"#,
            #"{"device":null,"code":null,"email":"mina@example.org"}"#,
        ] {
            var printed = RequestPrinter.print(request)
            printed.body = Array(body.utf8)
            #expect(try parse(printed) == expected)
        }
        #expect(try parse(RequestPrinter.print(expected)) == expected)
    }

    @Test func `every fault has its pointer`() throws {
        let error = try faults(#"{"code":-1,"device":7,"colour":"red"}"#)
        #expect(error?.reason == .invalid)
        #expect(
            error?.details.map(\.place)
                == ["/email", "/code", "/device", "/colour"].map {
                    .pointer($0)
                })
    }

    @Test func `a body that is no object is reported once`() throws {
        for (body, reason) in [
            ("[1]", RequestValidationError.Reason.invalid), ("{", .malformed), ("", .malformed),
            (#"{"email":"a@b","email":"c@d"}"#, .malformed),
        ] {
            let error = try faults(body)
            #expect(error?.reason == reason && error?.details.count == 1, "\(body)")
        }
        var printed = RequestPrinter.print(request)
        printed.fields[.contentType] = "text/plain"
        let error = #expect(throws: RequestValidationError.self) { try parse(printed) }
        #expect(error?.reason == .unsupportedMediaType && error?.details.count == 1)
    }

    @Test func `they are described as a body`() {
        let parameters = SignInAtOwnServer.parameters
        #expect(parameters.list.map(\.name) == ["realm", "trace"])
        #expect(parameters.body?.mediaTypes == ["application/json"])
        #expect(parameters.body?.isRequired == true)
        guard case .object(let properties)? = parameters.body?.schema else {
            Issue.record("no object")
            return
        }
        #expect(
            properties.map(\.presence) == [.required, .optional, .defaulted(.string("phone"))])
    }

    private struct OptionalsOnly: BackendAPIRequest {
        static let endpoint = Endpoint(.post, "/a", access: .everyone)
        typealias Item = NoContent
        static let parameters = Parameters(
            Self.init(a:), .member(.optional("a", \.a, .boolean)))
        var a: Bool?
    }

    @Test func `without any value, the body is an empty object`() throws {
        let printed = RequestPrinter.print(OptionalsOnly())
        #expect(printed.body == Array("{}".utf8))
        let source = try #require(RequestSource(printed, for: OptionalsOnly.endpoint))
        #expect(try OptionalsOnly(parsing: source) == OptionalsOnly())
    }
}
