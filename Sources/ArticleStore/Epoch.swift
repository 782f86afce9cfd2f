public import ArticleAPI

/// Names the history that a database holds: 16 random bytes.
///
/// Revisions and changes are counted, and two histories count alike. So a database takes another
/// epoch whenever its history may not be the one that readers know: a new file, a restored backup,
/// an imported export.
public struct Epoch: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// How many characters of a version follow the revision and the dash.
    public static let markLength = 6

    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// What names this revision of the subject in this history: `7-x1y2z3`. The same revision of
    /// another history has the same version once in 2^30 times.
    public func version<Subject>(of id: Identifier<Subject>, revision: Int) -> String {
        var mark: UInt64 = 0
        for word in [high, low, id.high, id.low, UInt64(bitPattern: Int64(revision))] {
            mark = Self.mixed(mark ^ word)
        }
        var text = Array("\(revision)-".utf8)
        for place in 0..<Self.markLength {
            text.append(Self.digits[Int(mark >> UInt64(59 - 5 * place)) & 31])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Spreads each bit over all (the finalizer of SplitMix64). Nothing here is a secret: it keeps
    /// accidents apart, not attackers.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
