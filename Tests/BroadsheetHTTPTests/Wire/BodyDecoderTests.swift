import BroadsheetHTTP
import Testing

@Suite("Bodies and their limit")
struct BodyDecoderTests {
    private let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.bodyBytes = 8
        return limits
    }()

    /// The decoded body and the remaining input, or the status of the rejection.
    private func decode(_ framing: BodyFraming, _ text: String) -> [String] {
        do throws(HTTPParseError) {
            let bytes = Array(text.utf8)
            var decoder = try BodyDecoder(framing, limits: limits)
            var body: [UInt8] = []
            let used = try decoder.decode(bytes.span, into: &body)
            #expect(decoder.length == body.count)
            return [
                String(decoding: body, as: UTF8.self),
                String(decoding: bytes[used...], as: UTF8.self),
                decoder.isComplete ? "whole" : "open",
            ]
        } catch { return ["\(error.status.code)"] }
    }

    @Test func `a body of known length is accepted up to the limit`() {
        #expect(decode(.length(8), "12345678next") == ["12345678", "next", "whole"])
        #expect(decode(.length(8), "1234567") == ["1234567", "", "open"])
        #expect(decode(.length(9), "") == ["413"])
        #expect(decode(.length(.max), "") == ["413"])
    }

    @Test func `a request without a body is complete at once`() throws {
        #expect(decode(.none, "next") == ["", "next", "whole"])
        #expect(try BodyDecoder(.none).isComplete)
        #expect(try BodyDecoder(.length(0)).isComplete)
        #expect(try !BodyDecoder(.length(1)).isComplete)
    }

    @Test func `chunks are accepted up to the limit in total`() {
        #expect(
            decode(.chunked, "5\r\n12345\r\n3\r\n678\r\n0\r\n\r\nnext")
                == ["12345678", "next", "whole"])
        #expect(decode(.chunked, "5\r\n12345\r\n4") == ["413"])
        #expect(decode(.chunked, "9") == ["413"])
        #expect(decode(.chunked, "00000000000000008\r\n1") == ["1", "", "open"])
        #expect(decode(.chunked, "8000000000000000") == ["413"])
    }

    @Test func `a body until close is accepted up to the limit`() {
        #expect(decode(.untilClose, "12345678") == ["12345678", "", "open"])
        #expect(decode(.untilClose, "123456789") == ["413"])
    }

    @Test func `no byte after the body is consumed`() throws {
        var decoder = try BodyDecoder(.length(1))
        var body: [UInt8] = []
        let bytes: [UInt8] = [1, 2, 3]
        #expect(try decoder.decode(bytes.span, into: &body) == 1)
        #expect(try decoder.decode(bytes.span, into: &body) == 0)
        #expect(body == [1])
    }

    @Test func `the default body limit is 3 MiB`() throws {
        #expect(try !BodyDecoder(.length(3 << 20)).isComplete)
        #expect(throws: HTTPParseError.self) { try BodyDecoder(.length(3 << 20 + 1)) }
    }
}
