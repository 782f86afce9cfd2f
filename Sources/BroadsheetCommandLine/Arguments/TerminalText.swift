/// Makes untrusted text safe to print on a terminal.
package enum TerminalText {
    /// Escapes control characters and directional marks as `\u001b`, which is also valid in a JSON
    /// string. Tabs and line ends stay.
    package static func escaped(_ text: String) -> String { escaped(text) { isLayout($0) } }

    /// Returns the text with even tabs and line ends escaped.
    package static func escapedLine(_ text: String) -> String { escaped(text) { _ in false } }

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
