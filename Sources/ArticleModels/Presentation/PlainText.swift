/// Texts without marks, for excerpts.
///
/// These functions do not parse HTML or Markdown: they remove the marks of the texts that the
/// backend serves. Characters that may or may not be marks remain in the text.
enum PlainText {
    /// The maximum number of bytes of a body that are read.
    private static let readBytes = 256 << 10

    /// The text in lines, with runs of white space as single spaces.
    static func collapsed(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The text of an article's `bodyHTML`, without code blocks and tables.
    ///
    /// The backend's HTML has no raw HTML of the article's, and escapes `<`, `>`, `&` and `"` in
    /// text and attributes. Other HTML also loses its tags, but the rules of HTML for malformed
    /// markup are not followed.
    ///
    /// - Parameters:
    ///   - html: sanitised HTML.
    ///   - limit: the approximate number of scalars needed; the rest is not read.
    static func ofHTML(_ html: String, limit: Int) -> String {
        var scanner = HTMLText(html, readBytes: readBytes)
        return collapsed(scanner.read(atLeast: limit))
    }

    /// The first paragraph of a Markdown text, without the usual inline marks.
    ///
    /// Headings, fenced code, rules, tables and quotes before it are skipped. Emphasis, code and
    /// strikethrough lose their marks, links keep their text, and pictures are dropped. Anything
    /// else remains as it is written.
    static func ofMarkdown(_ markdown: String) -> String {
        var paragraph: [Substring] = []
        var fence: Character?
        let beginning = String(decoding: markdown.utf8.prefix(readBytes), as: UTF8.self)
        let lines = beginning.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for line in lines {
            var text = line.drop(while: \.isWhitespace)
            let isFence = text.hasPrefix("```") || text.hasPrefix("~~~")
            if isFence, fence == nil || fence == text.first {
                fence = fence == nil ? text.first : nil
            }
            let isProse = fence == nil && !isFence && isProse(text)
            if !isProse, !paragraph.isEmpty { break }
            if let mark = text.first, "-*+".contains(mark), text.dropFirst().first == " " {
                text.removeFirst(2)
            }
            if isProse { paragraph.append(text) }
        }
        return collapsed(withoutMarks(paragraph.joined(separator: " ")))
    }

    /// Returns true if a line is neither blank nor begins with the mark of another block.
    private static func isProse(_ line: Substring) -> Bool {
        guard let first = line.first else { return false }
        if "#>|<".contains(first) { return false }
        return !line.allSatisfy { "-=*_ ".contains($0) }
    }

    private static func withoutMarks(_ text: String) -> String {
        var result = text.replacingLinks()
        for mark in ["**", "__", "~~", "`"] { result = result.removing(mark) }
        // A single mark of emphasis touches a word on one side only; 2 * 3 and snake_case do not.
        let characters = Array(result)
        return String(
            characters.indices.compactMap { index in
                let character = characters[index]
                guard character == "*" || character == "_" else { return character }
                let before = index > 0 ? characters[index - 1] : " "
                let after = index + 1 < characters.count ? characters[index + 1] : " "
                let isWord = (before.isLetter || before.isNumber, after.isLetter || after.isNumber)
                return isWord.0 != isWord.1 ? nil : character
            })
    }

    /// Returns at most `limit` characters of the text: cut after a word and ended by `…` if there
    /// is more.
    ///
    /// A text without spaces, and a last word that is longer than half of the limit, is cut within.
    static func cut(_ text: String, to limit: Int) -> String {
        guard limit > 0, !text.dropFirst(limit).isEmpty else {
            return limit > 0 ? text : ""
        }
        var part = text.prefix(limit)
        // The ellipsis takes the place of the last character, which may be the space after a word.
        if let space = part.lastIndex(where: \.isWhitespace),
            part.distance(from: part.startIndex, to: space) >= limit / 2
        {
            part = part[..<space]
        } else {
            part = part.dropLast()
        }
        while let last = part.last, last.isWhitespace || ",;:–—-(".contains(last) {
            part.removeLast()
        }
        return part + "…"
    }
}

extension String {
    fileprivate func removing(_ mark: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// `[text](url)` becomes its text, and `![text](url)` nothing.
    fileprivate func replacingLinks() -> String {
        var result = ""
        var rest = self[...]
        // Invariant: what is before `rest` is in `result`, without links.
        while let open = rest.firstIndex(of: "[") {
            guard let middle = rest[open...].firstRange(of: "]("),
                let end = rest[middle.upperBound...].firstIndex(of: ")")
            else { break }
            let isImage = rest[..<open].last == "!"
            result += isImage ? rest[..<open].dropLast() : rest[..<open]
            if !isImage { result += rest[rest.index(after: open)..<middle.lowerBound] }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}
