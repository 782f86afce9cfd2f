/// Counts the errors between a mistyped word and keys of a dictionary.
///
/// Of ascending keys, only the part that differs from the key before is compared, and no part of
/// those that begin like one that already had too many errors. See ``Spelling``.
struct EditDistanceScanner {
    private let word: [UInt16]
    private let limit: Int
    /// The letters of the last key that were compared, and where each ends in the key.
    private var letters: [UInt16] = []
    private var ends: [Int] = []
    /// A row for each of the letters, and one before them: the optimal string alignment distances
    /// of the letters up to there from each beginning of `word`.
    private var distances: [Int]
    /// The number of first bytes with too many errors: keys that share them with the last one are
    /// not candidates.
    private var deadEnd = Int.max

    /// - Parameter word: folded, without a class; `nil` if it is not one that is corrected.
    init?(_ word: [UInt8]) {
        guard let letters = Spelling.letters(word[...]) else { return nil }
        self.word = letters
        limit = Spelling.limit(letters.count)
        // A key with more letters than this has too many errors.
        let rows = letters.count + limit + 2
        distances = Array(repeating: 0, count: rows * (letters.count + 1))
        for column in 0...letters.count { distances[column] = column }
    }

    /// Returns the number of errors, 1 or 2; `nil` if the key is the word, or if there are more.
    ///
    /// - Parameters:
    ///   - key: The key, folded.
    ///   - start: The index of its first letter.
    ///   - shared: The number of its first bytes that it shares with the key of the last call.
    mutating func errors(of key: [UInt8], from start: Int = 0, shared: Int = 0) -> Int? {
        if shared >= deadEnd { return nil }
        deadEnd = .max
        while let end = ends.last, end > shared {
            ends.removeLast()
            letters.removeLast()
        }
        var index = ends.last ?? start
        // Invariant: `letters` are those of the key before `index`.
        while index < key.count {
            let length = key[index] < 0x80 ? 1 : 2
            guard index + length <= key.count,
                let letter = Spelling.letter(key[index], length == 2 ? key[index + 1] : nil),
                append(letter)
            else {
                deadEnd = index + length
                return nil
            }
            index += length
            ends.append(index)
        }
        guard !letters.isEmpty else { return nil }
        let distance = distances[letters.count * (word.count + 1) + word.count]
        return distance > 0 && distance <= limit ? distance : nil
    }

    /// Appends a letter of the key.
    ///
    /// - Returns: false, with nothing appended, if no word that begins so is a candidate.
    private mutating func append(_ letter: UInt16) -> Bool {
        let width = word.count + 1
        let row = letters.count + 1
        let start = row * width
        // The first letter is never corrected.
        guard row > 1 || letter == word.first else { return false }
        distances[start] = row
        var least = row
        for column in 1..<width {
            let place = start + column
            var best = min(distances[place - width], distances[place - 1]) + 1
            best = min(best, distances[place - width - 1] + (letter == word[column - 1] ? 0 : 1))
            if row > 1, column > 1, letter == word[column - 2],
                letters[row - 2] == word[column - 1]
            {
                best = min(best, distances[place - 2 * width - 2] + 1)
            }
            distances[place] = best
            least = min(least, best)
        }
        guard least <= limit else { return false }
        letters.append(letter)
        return true
    }
}
