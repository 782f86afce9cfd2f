/// Reads a reader's text into clauses: quotation marks make phrases, a hyphen before a word
/// excludes it, and anything else is plain text.
struct QueryReader {
    private(set) var required: [SearchQuery.Clause] = []
    private(set) var excluded: [SearchQuery.Clause] = []
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func read() {
        // Invariant: the clauses of the scalars before `index` are read.
        while let start = scalars[index...].firstIndex(where: { !$0.properties.isWhitespace }) {
            index = start
            let isExcluded = isExclusion(start)
            if isExcluded { index += 1 }
            if !isQuote(index) {
                read(word(), isPhrase: false, isExcluded: isExcluded)
            } else if let phrase = phrase() {
                read(phrase, isPhrase: true, isExcluded: isExcluded)
            } else {
                index += 1
            }
        }
    }

    /// Returns true if the hyphen at `start` excludes the word or phrase after it.
    private func isExclusion(_ start: Int) -> Bool {
        guard scalars[start] == "-", start + 1 < scalars.count else { return false }
        return scalars[start + 1] != "-" && !scalars[start + 1].properties.isWhitespace
    }

    /// Returns true if one of the quotation marks that keyboards type is here.
    private func isQuote(_ index: Int) -> Bool {
        guard index < scalars.count else { return false }
        return switch scalars[index] {
        case "\"", "\u{201C}", "\u{201D}", "\u{201E}": true
        default: false
        }
    }

    /// The inside of the quotation marks, the first of which is at `index`; `nil` if there is no
    /// second one. `index` is then behind them.
    private mutating func phrase() -> Range<Int>? {
        let start = index + 1
        guard let end = (start..<max(start, scalars.count)).first(where: isQuote) else {
            return nil
        }
        index = end + 1
        return start..<end
    }

    /// Returns the text before the next white space or quotation mark; `index` is then there.
    private mutating func word() -> Range<Int> {
        let start = index
        index =
            (start..<scalars.count).first { scalars[$0].properties.isWhitespace || isQuote($0) }
            ?? scalars.count
        return start..<index
    }

    private mutating func read(_ range: Range<Int>, isPhrase: Bool, isExcluded: Bool) {
        let start = scalars[..<range.lowerBound].reduce(0) { $0 + UTF8.width($1) }
        let isTyped = range.upperBound == scalars.count && !isPhrase && !isExcluded
        let isWord = !isPhrase && range.upperBound == scalars.count
        let end = isWord ? endWithoutJamo(range) : range.upperBound
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range.lowerBound..<end])
        var reader = ClauseReader(String(text), start: start)
        if isPhrase || isExcluded {
            reader.readWhole()
        } else {
            reader.readWords(isTyped: isTyped)
        }
        for clause in reader.clauses { append(clause, isExcluded) }
    }

    private mutating func append(_ clause: SearchQuery.Clause, _ isExcluded: Bool) {
        guard required.count + excluded.count < SearchQuery.limitWords else { return }
        if isExcluded {
            excluded.append(clause)
        } else if !required.contains(where: { $0.alternatives == clause.alternatives }) {
            required.append(clause)
        }
    }

    /// The end of the last word without the letter of a Korean syllable that is still being typed.
    private func endWithoutJamo(_ range: Range<Int>) -> Int {
        guard let last = scalars[range].last, isJamo(last) else { return range.upperBound }
        let before = scalars[range].dropLast().last
        return before.map(isJamo) == true ? range.upperBound : range.upperBound - 1
    }

    private func isJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1100...0x11FF).contains(scalar.value) || (0x3131...0x318E).contains(scalar.value)
    }
}
