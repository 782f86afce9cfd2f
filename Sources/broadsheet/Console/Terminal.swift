import BroadsheetCommandLine
import CBroadsheetLinux
import Glibc

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

/// A progress bar on standard error, shown only on a terminal.
struct ProgressBar {
    private let isShown = Console.errorIsTerminal
    private var shownPercent = -1

    private static let width = 30

    /// Redraws the bar when the percentage has changed.
    mutating func show(_ done: Int, of total: Int, _ text: String) {
        guard isShown else { return }
        let percent = total > 0 ? min(100, done * 100 / total) : 100
        guard percent != shownPercent else { return }
        shownPercent = percent
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        Console.draw("\r[\(bar)] \(percent) %  \(text)\u{1B}[K")
    }

    /// Removes the bar, so that the next line replaces it.
    mutating func clear() {
        guard isShown, shownPercent >= 0 else { return }
        shownPercent = -1
        Console.draw("\r\u{1B}[K")
    }
}
