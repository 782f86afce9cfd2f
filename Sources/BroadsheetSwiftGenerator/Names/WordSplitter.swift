/// The words of a text, in ASCII letters and digits, from which Swift names are made.
///
/// Words end at other characters and where lower case is followed by upper case: `user_id`,
/// `userID` and `User ID` have the same words. Letters of other scripts are written by their
/// Unicode names, without marks: `Größe` is `Grosse`, `이름` is `I Reum`, `☂` is `umbrella`.
enum WordSplitter {
    /// More characters are not looked at, and names are cut anyway.
    private static let limitScalars = 200

    /// The words in lower case; empty if the text has no characters that have a name.
    static func of(_ text: String) -> [String] {
        var splitter = Splitter()
        // A sign distinguishes values: `-createdAt`, `+1`.
        if let sign = signs[text.prefix(1)], text.utf8.count > 1 { splitter.take(word: sign) }
        for scalar in text.unicodeScalars.prefix(limitScalars) {
            if scalar.isASCII {
                splitter.take(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                splitter.take(spelled: scalar)
            }
        }
        splitter.end()
        return splitter.words
    }

    private static let signs: [Substring: String] = ["-": "minus", "+": "plus", "!": "not"]

    private struct Splitter {
        private(set) var words: [String] = []
        private var word = ""
        /// The number of letters in upper case directly before, 0 if the last one was not.
        private var capitals = 0

        mutating func take(word: String) { words.append(word) }

        mutating func take(_ byte: UInt8) {
            let character = Character(Unicode.Scalar(byte))
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if capitals == 0 { end() }
                capitals += 1
                word += character.lowercased()
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                // The last of several capitals begins the next word: `HTMLBody`.
                if capitals > 1, let last = word.popLast() {
                    end()
                    word.append(last)
                }
                capitals = 0
                word.append(character)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                capitals = 0
                word.append(character)
            case UInt8(ascii: "'"): break
            default: end()
            }
        }

        /// Takes a character by its Unicode name.
        mutating func take(spelled scalar: Unicode.Scalar) {
            guard let name = scalar.properties.name, !scalar.properties.isVariationSelector else {
                return end()
            }
            let parts = name.split(separator: " ")
            if let letter = Self.letter(parts) {
                for byte in letter.utf8 { take(byte) }
            } else if parts.starts(with: ["HANGUL", "SYLLABLE"]), let sound = parts.last {
                if capitals > 0 { end() }
                word += sound.lowercased()
            } else if name.hasPrefix("CJK ") {
                end()
                word = "u" + String(scalar.value, radix: 16)
                end()
            } else if !name.hasPrefix("COMBINING"), !scalar.properties.isWhitespace {
                end()
                for part in parts.prefix(3) {
                    word += part.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
                    end()
                }
            } else if scalar.properties.isWhitespace {
                end()
            }
        }

        /// The base of a Latin letter with marks: `LATIN SMALL LETTER O WITH DIAERESIS`.
        private static func letter(_ name: [Substring]) -> String? {
            guard name.count >= 4, name[0] == "LATIN", name[2] == "LETTER" else { return nil }
            if name[3] == "SHARP" { return "ss" }
            guard name.count == 4 || name[4] == "WITH" else { return nil }
            guard name[3].utf8.count <= 2 else { return nil }
            return name[1] == "CAPITAL" ? String(name[3]) : name[3].lowercased()
        }

        mutating func end() {
            if !word.isEmpty { words.append(word) }
            word = ""
            capitals = 0
        }
    }
}
