/// The singular of an English plural, and the plural of a singular, as far as the letters show it.
enum WordForms {
    /// The other forms of a folded word; none for words of other scripts or fewer than three
    /// letters.
    static func others(of word: [UInt8]) -> [[UInt8]] {
        guard word.count >= 3, word.allSatisfy({ $0 &- UInt8(ascii: "a") < 26 }) else { return [] }
        let text = String(decoding: word, as: UTF8.self)
        return (singulars(of: text) + plurals(of: text)).map { Array($0.utf8) }
    }

    private static func singulars(of word: String) -> [String] {
        guard word.hasSuffix("s"), !["ss", "us", "is"].contains(where: word.hasSuffix) else {
            return []
        }
        var forms = [String(word.dropLast())]
        if word.hasSuffix("ies"), word.utf8.count > 4 { forms = [word.dropLast(3) + "y"] }
        if word.hasSuffix("es"), hisses(word.dropLast(2)) { forms.append(String(word.dropLast(2))) }
        return forms.filter { $0.utf8.count >= 2 }
    }

    private static func plurals(of word: String) -> [String] {
        if hisses(word[...]) { return [word + "es"] }
        let beforeLast = word.dropLast().last
        if word.hasSuffix("y"), let beforeLast, !"aeiou".contains(beforeLast) {
            return [word.dropLast() + "ies"]
        }
        return word.hasSuffix("s") ? [] : [word + "s"]
    }

    private static func hisses(_ stem: Substring) -> Bool {
        ["s", "x", "z", "ch", "sh"].contains { stem.hasSuffix($0) }
    }
}
