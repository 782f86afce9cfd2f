public import ArticleAPI

/// Identifies the history of a database: 16 random bytes.
///
/// Revisions and changes are numbered, and different histories use the same numbers. So a database
/// gets a new epoch whenever its history may differ from the one that clients know: a new file, a
/// restored backup, an imported export.
public struct Epoch: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The number of characters in a version after the revision and the dash.
    public static let markLength = 6

    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The version of this revision of the subject in this history: `7-x1y2z3`. The same revision
    /// in another history has the same version with a probability of 2^-30.
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

    /// Mixes all bits (the finalizer of SplitMix64). This is not a secret: it prevents accidental
    /// collisions, not attacks.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
