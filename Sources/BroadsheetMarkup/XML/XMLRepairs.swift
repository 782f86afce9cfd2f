/// The repairs in a document: their number, and their lines.
package struct XMLRepairs: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case character
        case byte
        case undecodable
        case ampersand
        case namedCharacter
        case declaredEntity
        case declarations
        case markup
        case attribute
        case outside
        case missingEnd

        fileprivate var phrase: String {
            switch self {
            case .character: "a character that XML does not allow was left out or corrected"
            case .byte: "a byte that is not UTF-8 was read as windows-1252"
            case .undecodable: "a byte that is not text in the encoding was replaced by U+FFFD"
            case .ampersand: "a bare & was read as text"
            case .namedCharacter: "the name of a character of HTML was replaced by the character"
            case .declaredEntity: "a reference to an entity of the DOCTYPE was kept as text"
            case .declarations: "the declarations in the DOCTYPE were left out"
            case .markup: "invalid markup was corrected or read as text"
            case .attribute: "an invalid attribute was corrected or left out"
            case .outside: "text or markup before or after the document was left out"
            case .missingEnd: "the last end tag was missing"
            }
        }

        /// True if the repair cannot have changed the meaning, so that any number is accepted.
        fileprivate var isCertain: Bool { self == .namedCharacter }
    }

    /// Repairs of the same kind on a line.
    package struct Repair: Sendable, Hashable {
        package let line: Int
        package let kind: Kind
        package fileprivate(set) var count = 1

        /// The repair as a phrase, without the line.
        package var phrase: String { count > 1 ? "\(kind.phrase) (\(count))" : kind.phrase }
    }

    /// Maximum number of entries in the list.
    package static let limitInList = 100
    /// Repairs that any document may need; a larger one may need one in 100 bytes.
    static let limit = 1_000

    /// The first repairs, in the document's order.
    package private(set) var list: [Repair] = []
    /// Number of all repairs.
    package private(set) var count = 0
    /// Number of those that may have changed the meaning.
    private var guesses = 0

    /// - Parameter position: The number of bytes read so far.
    /// - Returns: True if the document may be read further.
    mutating func note(_ kind: Kind, line: Int, position: Int) -> Bool {
        count += 1
        if let last = list.last, last.kind == kind, last.line == line {
            list[list.count - 1].count += 1
        } else if list.count < Self.limitInList {
            list.append(Repair(line: line, kind: kind))
        }
        if !kind.isCertain { guesses += 1 }
        return guesses <= max(Self.limit, position / 100)
    }

    func merged(with others: XMLRepairs) -> XMLRepairs {
        var merged = self
        merged.list = Array(
            (list + others.list).sorted { $0.line < $1.line }.prefix(Self.limitInList))
        merged.count += others.count
        merged.guesses += others.guesses
        return merged
    }
}
