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

/// Makes untrusted text safe to print on a terminal.
enum TerminalText {
    /// Escapes control characters and directional marks as `\u001b`, which is also valid in a JSON
    /// string. Tabs and line ends stay.
    static func escaped(_ text: String) -> String { escaped(text) { isLayout($0) } }

    /// Returns the text with even tabs and line ends escaped.
    static func escapedLine(_ text: String) -> String { escaped(text) { _ in false } }

    private static func escaped(
        _ text: String, keeping isKept: (Unicode.Scalar) -> Bool
    ) -> String {
        let scalars = text.unicodeScalars
        guard scalars.contains(where: { isActive($0) && !isKept($0) }) else { return text }
        var result = ""
        for (index, scalar) in zip(scalars.indices, scalars) {
            let next = scalars.index(after: index)
            let endsLine = scalar == "\r" && next < scalars.endIndex && scalars[next] == "\n"
            if !isActive(scalar) || isKept(scalar) || endsLine && isKept("\n") {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\t"
    }

    /// C0, DEL and C1 controls (ECMA-48), line and paragraph separators, and directional
    /// formatting characters (UAX #9).
    private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
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
