/// A parser that takes bytes from strangers, with the laws that hold for any of them.
///
/// A trap, a hang or memory without bounds breaks a law too: the fuzzer sees those by itself.
package struct FuzzTarget: Sendable {
    /// The name of its folder of seeds, and of the target for `make fuzz`.
    package let name: String
    /// Which laws these bytes break; empty if all hold.
    package let brokenLaws: @Sendable ([UInt8]) -> [String]

    package init(name: String, brokenLaws: @escaping @Sendable ([UInt8]) -> [String]) {
        self.name = name
        self.brokenLaws = brokenLaws
    }

    package static let all: [FuzzTarget] = [
        FuzzTarget(name: "request", brokenLaws: RequestLaws.broken),
        FuzzTarget(name: "response", brokenLaws: ResponseLaws.broken),
        FuzzTarget(name: "field", brokenLaws: FieldLaws.broken),
        FuzzTarget(name: "query", brokenLaws: QueryLaws.broken),
        FuzzTarget(name: "json", brokenLaws: JSONLaws.broken),
        FuzzTarget(name: "cursor", brokenLaws: CursorLaws.broken),
        FuzzTarget(name: "key", brokenLaws: KeyLaws.broken),
        FuzzTarget(name: "post", brokenLaws: PostLaws.broken),
        FuzzTarget(name: "proxy", brokenLaws: ProxyLaws.broken),
    ]
}

/// Gathers what does not hold.
struct LawBook {
    private(set) var broken: [String] = []

    mutating func expect(_ holds: Bool, _ law: String) {
        if !holds { broken.append(law) }
    }
}

extension [UInt8] {
    /// What stands behind the first byte, in pieces whose lengths that byte decides.
    var piecesBehindFirst: [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 1
        var random = UInt32(first ?? 0)
        // Invariant: the bytes from 1 to `start` are in `pieces`.
        while start < count {
            random = random &* 1_664_525 &+ 1_013_904_223
            let end = Swift.min(count, start + Int(random >> 24) % (1 + count / 3) + 1)
            pieces.append(self[start..<end])
            start = end
        }
        return pieces
    }
}
