import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite("Randomly mutated requests")
struct MutationTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `mutated requests never trap the parser and do not depend on chunking`(seed: UInt64) {
        var mutator = RequestMutator(seed: seed)
        var accepted = 0
        for _ in 0..<2_500 {
            let bytes = mutator.next()
            var receiver = Receiver()
            receiver.take(bytes[...])
            if receiver.isOverrun { Issue.record("more than given was used") }
            let whole = receiver.result
            let pieces = mutator.pieces(of: bytes)
            if Receiver.receive(pieces) != whole {
                Issue.record("seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            }
            accepted += whole.requests.count
            for doubt in whole.requests.flatMap(SmugglingOracle.doubts) {
                Issue.record("\(doubt), seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
        // Enough mutated requests must still be accepted, or the oracle sees nothing.
        #expect(accepted > 250)
    }

    @Test(arguments: 0..<4 as Range<UInt64>, [false, true])
    func `mutated responses never trap the parser`(seed: UInt64, isLenient: Bool) {
        var mutator = RequestMutator(seed: seed)
        for _ in 0..<1_500 {
            let bytes = mutator.nextResponse()
            var parser = ResponseParser(isLenient: isLenient)
            let whole = parse(bytes, &parser)
            var slow = ResponseParser(isLenient: isLenient)
            var stepped: Result<ResponseHead?, HTTPParseError> = .success(nil)
            for end in 1...bytes.count where stepped == .success(nil) {
                stepped = parse(Array(bytes[..<end]), &slow)
            }
            #expect(stepped == whole)
            #expect(parser.consumed <= bytes.count)
        }
    }

    private func parse(
        _ bytes: [UInt8], _ parser: inout ResponseParser
    ) -> Result<ResponseHead?, HTTPParseError> {
        do throws(HTTPParseError) {
            return .success(try parser.parse(bytes.span, to: .get))
        } catch { return .failure(error) }
    }

    @Test func `arbitrary octets in targets, tags, dates and types trap nothing`() {
        var random = SplitMix64(seed: 11)
        let marks = Array("/%.:?#&=+\"\\W*,;-<>[] GMT0123456789aqSun,Nov".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                Bool.random(using: &random) || Bool.random(using: &random)
                    ? marks.randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let target = RequestTarget(bytes), let segments = try? target.segments() {
                #expect(!segments.contains { $0 == "." || $0 == ".." || $0.utf8.contains(0) })
            }
            if let tag = EntityTag(text) { #expect(EntityTag(tag.description) == tag) }
            if let condition = TagCondition(text) {
                #expect(TagCondition(condition.description) == condition)
            }
            if let seconds = HTTPDate.seconds(text) {
                #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
            }
            if let query = try? QueryItems(parsing: bytes) {
                #expect((try? QueryItems(parsing: Array(query.encoded.utf8))) == query)
            }
            _ = MediaType(text)?.isAccepted(by: text)
            for link in WebLink.links(in: text) {
                #expect(WebLink.links(in: link.description) == [link])
            }
            if let authority = Authority(bytes) { #expect(!authority.host.isEmpty) }
        }
    }
}
