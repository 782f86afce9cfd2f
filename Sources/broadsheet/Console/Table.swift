import CLinux

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Rows for a terminal: columns as wide as their content, the last one cut at the edge.
struct Table {
    private var rows: [[String]]

    init(_ head: String...) { rows = [head.map { $0.uppercased() }] }

    mutating func add(_ cells: String...) { rows.append(cells.map(TerminalText.escapedLine)) }

    func lines(columns: Int) -> [String] {
        let count = rows[0].count
        let widths = (0..<count).map { column in
            rows.map { TextWidth.of($0[column]) }.max() ?? 0
        }
        return rows.map { cells in
            var line = ""
            for (column, cell) in cells.enumerated() {
                guard column < count - 1 else {
                    line += TextWidth.cut(cell, to: max(8, columns - TextWidth.of(line)))
                    continue
                }
                let padding = widths[column] - TextWidth.of(cell) + 2
                line += cell + String(repeating: " ", count: padding)
            }
            return line
        }
    }
}

/// The width of text on a terminal (`wcwidth(3)`): a Hangul syllable takes two columns.
enum TextWidth {
    // Widths follow Unicode, regardless of the user's locale.
    private static let locale: Void = { _ = setlocale(LC_CTYPE, "C.UTF-8") }()

    static func of(_ text: String) -> Int {
        _ = locale
        return text.unicodeScalars.reduce(0) { $0 + max(0, Int(broadsheet_columns($1.value))) }
    }

    /// As much of the text as fits, followed by … if it was cut.
    static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        var result = ""
        for character in text {
            guard of(result) + of(String(character)) < width else { break }
            result.append(character)
        }
        return result + "…"
    }
}
