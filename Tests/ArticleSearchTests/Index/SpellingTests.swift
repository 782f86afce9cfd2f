import ArticleSearch
import BroadsheetTestSupport
import Testing

/// Corrections by an index, compared with the distances of all its words, each on its own.
@Suite struct SpellingTests {
    @Test(arguments: 1...(Thoroughness.isFull ? 2 : 1))
    func `of many words that begin alike, the nearest one is found`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func word(_ length: ClosedRange<Int>, _ letters: [String] = ["a", "b", "д"]) -> String {
            let count = Int(random.next() % UInt64(length.count)) + length.lowerBound
            return (1..<count).reduce("a") { word, _ in
                word + letters[Int(random.next() % UInt64(letters.count))]
            }
        }
        // More than one segment: some words are in blocks, and some in memory.
        let documents = (1...300).map { number in
            let words = [word(1...5), word(6...12), word(2...9, ["a", "b", "д", "7"])]
            return AnalyzedDocument(.sample(number, body: words.joined(separator: " ")))
        }
        var index = MemoryIndex()
        for document in documents { try index.add(document) }
        let frequencies = documents.flatMap { $0.terms() }.reduce(into: [:]) {
            $0[$1, default: 0] += 1
        }
        var corrected = 0
        for _ in 0..<80 {
            let query = SearchQuery(word(4...12))
            let isFound = frequencies.keys.contains { $0.hasPrefix(query.text) }
            let best = frequencies.compactMap { word, count in
                Self.errors(query.text, word).map { ($0, -count, word) }
            }.min { $0 < $1 }
            let correction = try index.correction(of: query)
            #expect(correction?.text == (isFound ? nil : best?.2), "\(query.text)")
            if correction != nil { corrected += 1 }
        }
        #expect(corrected > 15)
    }

    /// The errors in a word that may have meant another one.
    private static func errors(_ word: String, _ other: String) -> Int? {
        guard word != other, word.first == other.first, other.allSatisfy(\.isLetter) else {
            return nil
        }
        let distance = distance(Array(word), Array(other))
        return distance <= (word.count >= 8 ? 2 : 1) ? distance : nil
    }

    /// The optimal string alignment distance.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var table = (0...left.count).map { row in (0...right.count).map { max(row, $0) } }
        for row in 0..<left.count {
            for column in 0..<right.count {
                let isEqual = left[row] == right[column]
                var best = min(table[row][column + 1], table[row + 1][column]) + 1
                best = min(best, table[row][column] + (isEqual ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, table[row - 1][column - 1] + 1)
                }
                table[row + 1][column + 1] = best
            }
        }
        return table[left.count][right.count]
    }
}
