import BroadsheetHTTP
import Testing

@testable import BroadsheetHTTPServer

@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"
    private static let valid = "00-\(trace)-\(parent)-01"

    private func read(_ values: String...) -> TraceContext? {
        var fields = HTTPFields()
        for value in values { fields.append(.traceparent, value) }
        return TraceContext(fields)
    }

    @Test func `a valid traceparent is parsed`() throws {
        let context = try #require(read(Self.valid))
        #expect(context.traceID == Self.trace)
        #expect(read("00-\(Self.trace)-\(Self.parent)-fe") == context)
    }

    @Test func `a later version is parsed by its common prefix`() {
        #expect(read("01-\(Self.trace)-\(Self.parent)-01") != nil)
        #expect(read("cc-\(Self.trace)-\(Self.parent)-01-what-comes")?.traceID == Self.trace)
        #expect(read("cc-\(Self.trace)-\(Self.parent)-01.what") == nil)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "\(valid)-", "\(valid)-more",
        "00-\(trace)-\(parent)-01x", "ff-\(trace)-\(parent)-01", "0x-\(trace)-\(parent)-01",
        "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent.uppercased())-01",
        "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
        "00_\(trace)_\(parent)_01", "00-\(trace)\(parent)--01", "00-\(trace)-\(parent)-0g",
        "00-\(trace.dropLast())é-\(parent)-01",
    ])
    func `a malformed traceparent is ignored`(value: String) {
        #expect(read(value) == nil)
    }

    @Test func `repeated traceparent fields are ignored`() {
        #expect(read(Self.valid, Self.valid) == nil)
        #expect(read() == nil)
    }
}
