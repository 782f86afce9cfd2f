package import ArticleAPI

/// Writes articles as the Markdown files that `MarkdownPost` parses.
package enum MarkdownFile {
    /// The file of an article: importing it gives the same article.
    ///
    /// The lines of a summary or of an alternative text are joined, and blank lines at the
    /// beginning of a body are dropped, since the import does both.
    package static func bytes(of article: Article) -> [UInt8] {
        let lines = ["---"] + FrontMatter(of: article).yaml + ["---", "", article.body ?? ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// The file with other names in its by-line; `nil` unless `bytes(of:)` has written it for an
    /// article with authors.
    package static func bytes(_ file: [UInt8], naming authors: [String]) -> [UInt8]? {
        let start = Array("---\n".utf8)
        guard file.starts(with: start) else { return nil }
        let key = Array("authors: ".utf8)
        var lineStart = start.count
        // Invariant: `lineStart` is where a line of the front matter begins, and none before it has
        // the key.
        while let lineEnd = file[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = file[lineStart..<lineEnd]
            if line.elementsEqual("---".utf8) { return nil }
            if line.starts(with: key) {
                return file[..<lineStart] + key + Array(YAMLText.list(authors).utf8)
                    + file[lineEnd...]
            }
            lineStart = lineEnd + 1
        }
        return nil
    }
}

/// YAML on one line: double-quoted strings in flow style (YAML 1.2.2 §7.3.1, §7.4).
enum YAMLText {
    package static func list(_ texts: [String]) -> String {
        "[\(texts.map(quoted).joined(separator: ", "))]"
    }

    static func mapping(_ entries: [(key: String, text: String)]) -> String {
        "{\(entries.map { "\($0.key): \(quoted($0.text))" }.joined(separator: ", "))}"
    }

    /// Returns a JSON string, in which characters that YAML does not regard as printable, or as
    /// part of a line, are also escaped (YAML 1.2.2 §5.1, §5.4).
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C: quoted += "\\\(scalar)"
            case 0x0A: quoted += "\\n"
            case ..<0x20, 0x7F...0xA0, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
