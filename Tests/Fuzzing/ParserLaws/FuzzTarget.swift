/// A parser for untrusted bytes, with the laws that hold for any input.
///
/// Traps, hangs and unbounded memory also violate the laws; the fuzzer detects those itself.
package struct FuzzTarget: Sendable {
    /// The name of its seed folder, and of the target for `make fuzz`.
    package let name: String
    /// The laws violated by these bytes; empty if all hold.
    package let brokenLaws: @Sendable ([UInt8]) -> [String]

    package init(name: String, brokenLaws: @escaping @Sendable ([UInt8]) -> [String]) {
        self.name = name
        self.brokenLaws = brokenLaws
    }

    /// Those of parsers below `ArticleServices`, which the address sanitizer also checks in CI.
    package static let parsers: [FuzzTarget] = [
        FuzzTarget(name: "request", brokenLaws: RequestLaws.broken),
        FuzzTarget(name: "http2", brokenLaws: HTTP2Laws.broken),
        FuzzTarget(name: "response", brokenLaws: ResponseLaws.broken),
        FuzzTarget(name: "field", brokenLaws: FieldLaws.broken),
        FuzzTarget(name: "search", brokenLaws: SearchLaws.broken),
        FuzzTarget(name: "proxy", brokenLaws: ProxyLaws.broken),
        FuzzTarget(name: "segment", brokenLaws: SegmentLaws.broken),
        FuzzTarget(name: "feed", brokenLaws: FeedLaws.broken),
        FuzzTarget(name: "date", brokenLaws: DateLaws.broken),
        FuzzTarget(name: "reference", brokenLaws: ReferenceLaws.broken),
        FuzzTarget(name: "xml", brokenLaws: MarkupLaws.xml),
        FuzzTarget(name: "repair", brokenLaws: RepairLaws.broken),
        FuzzTarget(name: "html", brokenLaws: MarkupLaws.html),
    ]
}

/// Collects violations.
package struct ViolationCollector {
    package private(set) var broken: [String] = []

    package init() {}

    package mutating func expect(_ holds: Bool, _ law: String) {
        if !holds { broken.append(law) }
    }
}

extension [UInt8] {
    /// The bytes after the first one, split into pieces whose lengths are determined by that byte.
    var piecesBehindFirst: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 1
        var random = UInt32(first ?? 0)
        // Invariant: `pieces` contains the bytes from 1 to `start`.
        while start < count {
            random = random &* 1_664_525 &+ 1_013_904_223
            let end = Swift.min(count, start + Int(random >> 24) % (1 + count / 3) + 1)
            pieces.append(self[start..<end])
            start = end
        }
        return pieces
    }
}
