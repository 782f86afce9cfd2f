import ArticleAPI
import ArticleSearch
import ArticleServiceCore

/// The position of a page of results, and the words of the query that the first page corrected.
struct SearchCursor: CursorPosition, Hashable {
    package let position: SearchPosition
    /// Each with the place of its clause.
    let corrections: [Correction]

    struct Correction: Sendable, Hashable {
        let clause: Int
        /// From the dictionary, without a class.
        let word: [UInt8]
    }

    /// The maximum size of corrections, so that a cursor is within the contract's limit.
    static let room = 256

    init(position: SearchPosition, corrections: [Correction] = []) {
        self.position = position
        self.corrections = corrections
    }

    static func fits(_ corrections: [Correction]) -> Bool {
        corrections.reduce(0) { $0 + 2 + $1.word.count } <= room
            && corrections.allSatisfy { $0.word.count < 256 && $0.clause < 255 }
    }

    /// The position; and if there are corrections, those, each as the number of its clause from 1
    /// on, the length of the word, and the word, padded with zeros.
    var cursorBytes: [UInt8] {
        var bytes = packed(
            [UInt64(bitPattern: Int64(position.score)), UInt64(bitPattern: position.published)])
        bytes += packed([position.id.high, position.id.low])
        guard !corrections.isEmpty else { return bytes }
        let end = bytes.count + Self.room
        for correction in corrections {
            bytes += [UInt8(correction.clause + 1), UInt8(correction.word.count)] + correction.word
        }
        return bytes + [UInt8](repeating: 0, count: end - bytes.count)
    }

    init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(Array(cursorBytes.prefix(32)), count: 4),
            let id = Article.ID(high: words[2], low: words[3]),
            cursorBytes.count == 32 || cursorBytes.count == 32 + Self.room
        else { return nil }
        position = SearchPosition(
            score: Int(Int64(bitPattern: words[0])), published: Int64(bitPattern: words[1]), id: id)
        var rest = cursorBytes.dropFirst(32)
        var corrections: [Correction] = []
        // Invariant: `rest` begins with a correction, or with the padding.
        while let number = rest.popFirst(), number > 0, let count = rest.popFirst() {
            guard rest.count >= count else { return nil }
            let word = Array(rest.prefix(Int(count)))
            corrections.append(Correction(clause: Int(number) - 1, word: word))
            rest = rest.dropFirst(word.count)
        }
        self.corrections = corrections
    }
}
