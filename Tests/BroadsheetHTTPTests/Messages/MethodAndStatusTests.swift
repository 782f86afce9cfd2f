import BroadsheetHTTP
import Testing

@Suite struct MethodAndStatusTests {
    @Test(
        arguments: [
            (.get, true, true), (.head, true, true), (.options, true, true), (.trace, true, true),
            (.put, false, true), (.delete, false, true), (.post, false, false),
            (.patch, false, false), (.connect, false, false),
        ] as [(HTTPMethod, Bool, Bool)])
    func `methods are safe and idempotent according to RFC 9110`(
        method: HTTPMethod, isSafe: Bool, isIdempotent: Bool
    ) {
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
        #expect(HTTPMethod(method.rawValue) == method)
    }

    @Test func `a method is a case-sensitive token`() {
        #expect(HTTPMethod("PURGE")?.rawValue == "PURGE")
        #expect(HTTPMethod("get") != .get)
        for bad in ["", "A B", "A\r", "A/B", "É"] { #expect(HTTPMethod(bad) == nil) }
    }

    @Test func `a status has a code, and a known one has a phrase`() {
        #expect(HTTPStatus(404) == .notFound)
        #expect(HTTPStatus.notFound.reason == "Not Found")
        #expect(HTTPStatus(299)?.reason == "")
        #expect(HTTPStatus(99) == nil)
        #expect(HTTPStatus(600) == nil)
    }

    @Test func `every common status has a phrase`() {
        let usual = [
            100, 200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405,
            406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431,
            500, 501, 502, 503, 504, 505, 507,
        ]
        for code in usual { #expect(HTTPStatus(code)?.reason.isEmpty == false) }
    }

    @Test func `some responses never have a body`() {
        #expect(HTTPStatus.continue.forbidsBody)
        #expect(HTTPStatus.noContent.forbidsBody)
        #expect(HTTPStatus.notModified.forbidsBody)
        #expect(!HTTPStatus.ok.forbidsBody)
        #expect(!HTTPStatus.notFound.forbidsBody)
    }
}
