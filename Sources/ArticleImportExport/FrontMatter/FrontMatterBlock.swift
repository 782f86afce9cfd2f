import ArticleAPI

/// The front matter at the beginning of a file, not yet parsed, and the rest of the file.
///
/// Blank lines and a byte order mark may precede it, and its lines may end with LF, CRLF or CR.
/// Text that looks like front matter, but cannot be read, is an error: as text, it would be
/// published regardless of its own restrictions.
struct FrontMatterBlock {
    enum Format: Sendable { case yaml, toml, json }

    let format: Format
    /// Without its delimiters, with a line feed for each carriage return that stands alone.
    let text: [UInt8]
    /// The line of the file on which the text begins, from 1.
    let firstLine: Int
    /// The text after the front matter, and its first line's number.
    let rest: ArraySlice<UInt8>
    let restLine: Int

    /// `nil` if the file has none.
    init?(of content: ArraySlice<UInt8>) throws(FrontMatterError) {
        var lines = TextLines(content)
        guard let (opening, number) = Self.firstLine(of: &lines) else { return nil }
        if opening.starts(with: "{".utf8), Self.beginsObject(opening) {
            try self.init(objectIn: content, at: opening.startIndex, line: number)
            return
        }
        guard let (format, closings) = try Self.delimiter(opening, line: number) else {
            guard !Self.hides(opening, lines) else {
                throw FrontMatterError(line: number, reason: .unknownForm)
            }
            return nil
        }
        let start = lines.position
        var (end, line) = (start, number)
        // Invariant: no line between `start` and `end` closes the front matter.
        while end - start <= FrontMatter.limitBytes, let next = lines.next() {
            line += 1
            if closings.contains(where: { Self.isDelimiter(next, $0) }) {
                self.init(
                    format, content[start..<end], number + 1, content[lines.position...], line + 1)
                return
            }
            end = lines.position
        }
        guard end - start <= FrontMatter.limitBytes else {
            throw FrontMatterError(line: line, reason: .tooLarge)
        }
        throw FrontMatterError(line: number, reason: .unclosed(closings[0]))
    }

    private init(
        _ format: Format, _ text: ArraySlice<UInt8>, _ firstLine: Int, _ rest: ArraySlice<UInt8>,
        _ restLine: Int
    ) {
        self.format = format
        self.text = TextLines.withLineFeeds(text)
        self.firstLine = firstLine
        self.rest = rest
        self.restLine = restLine
    }

    /// A JSON object, which ends with the brace that closes it.
    private init(
        objectIn content: ArraySlice<UInt8>, at start: Int, line: Int
    ) throws(FrontMatterError) {
        let limited = content[start...].prefix(FrontMatter.limitBytes + 1)
        guard let end = Self.objectEnd(limited) else {
            let isTooLarge = limited.count > FrontMatter.limitBytes
            throw FrontMatterError(line: line, reason: isTooLarge ? .tooLarge : .unclosed("}"))
        }
        let text = content[start..<end]
        let breaks = TextLines.withLineFeeds(text).count { $0 == UInt8(ascii: "\n") }
        self.init(.json, text, line, content[end...], line + breaks)
    }

    /// The first line that is not blank, trimmed, and its number.
    private static func firstLine(
        of lines: inout TextLines
    ) -> (text: ArraySlice<UInt8>, number: Int)? {
        var number = 0
        while let line = lines.next() {
            number += 1
            let text = TextLines.trimmed(line)
            if !text.isEmpty { return (text, number) }
        }
        return nil
    }

    /// The format that an opening line announces, and the lines that close it; `nil` for a line of
    /// text or a thematic break.
    ///
    /// - Throws: for another format.
    private static func delimiter(
        _ opening: ArraySlice<UInt8>, line: Int
    ) throws(FrontMatterError) -> (Format, closings: [String])? {
        let name = String(decoding: TextLines.trimmed(opening.dropFirst(3)), as: UTF8.self)
        switch (String(decoding: opening.prefix(3), as: UTF8.self), name.lowercased()) {
        case ("---", ""), ("---", "yaml"), ("---", "yml"): return (.yaml, ["---", "..."])
        case ("+++", ""), ("+++", "toml"): return (.toml, ["+++"])
        // The language's name may follow the hyphens, as in Eleventy and Gatsby.
        case ("---", "toml"): return (.toml, ["---"])
        case ("---", "json"): return (.json, ["---"])
        case ("---", _) where name.allSatisfy({ $0 == "-" || $0 == " " }): return nil
        case ("---", _), ("+++", _), (";;;", _):
            throw FrontMatterError(line: line, reason: .unknownForm)
        default: return nil
        }
    }

    /// Returns true if the line is `marker` and optional trailing whitespace.
    private static func isDelimiter(_ line: ArraySlice<UInt8>, _ marker: String) -> Bool {
        line.starts(with: marker.utf8) && TextLines.trimmed(line.dropFirst(3)).isEmpty
    }

    /// Returns true if a line that begins with a brace begins a JSON object, unlike `{% raw %}` of
    /// Liquid, `{{< figure >}}` of Hugo and `{: .note}` of kramdown. An object with comments is an
    /// error.
    private static func beginsObject(_ line: ArraySlice<UInt8>) -> Bool {
        guard let next = TextLines.trimmed(line.dropFirst()).first else { return true }
        switch next {
        case _ where "\"'}/#".utf8.contains(next): return true
        default: return isLetter(next) && line.contains(UInt8(ascii: ":"))
        }
    }

    /// Returns the end of the object that begins with the text; `nil` if it does not end.
    private static func objectEnd(_ text: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        var (isString, isEscaped) = (false, false)
        // Invariant: `depth` braces before `index` are open.
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isString
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "{") where !isString: depth += 1
            case UInt8(ascii: "}") where !isString:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
        }
        return nil
    }

    // MARK: Forms of other programs

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Returns true if the file begins with metadata in another form: front matter in a comment
    /// (Hugo, Nikola), the headers of Nikola and Org, or lines about its readers, without a
    /// delimiter (Pelican, Hexo).
    private static func hides(_ opening: ArraySlice<UInt8>, _ lines: TextLines) -> Bool {
        var (line, lines) = (opening, lines)
        let directives = [".. ", "#+"]
        for mark in directives where line.starts(with: mark.utf8) {
            return key(of: line.dropFirst(mark.utf8.count)) != nil
        }
        let isComment = line.starts(with: "<!--".utf8)
        if isComment || line.allSatisfy({ $0 == UInt8(ascii: "-") }) {
            line = TextLines.trimmed(line.dropFirst(isComment ? 4 : line.count))
            var rest = lines
            let next = Self.firstLine(of: &rest)?.text ?? []
            let isMarked = (["---", "+++"] + directives).contains { marker in
                line.starts(with: marker.utf8) || next.starts(with: marker.utf8)
            }
            if isComment, isMarked { return true }
            if line.isEmpty { (line, lines) = (next, rest) }
        }
        guard isComment || key(of: line) != nil else { return false }
        // Invariant: all lines before `line` are of the form `key: value` or continue one, or are
        // blank between comments.
        while true {
            let text = withoutCommentMark(line)
            if !isIndented(line), let key = key(of: text) {
                if SourceVisibility.headerKeys.contains(FrontMatterFields.name(of: key)) {
                    return true
                }
            } else if isComment, text.isEmpty || text.elementsEqual("-->".utf8) {
                // The next comment may follow.
            } else if ![" ", "\t", "- "].contains(where: { line.starts(with: $0.utf8) }) {
                return false
            }
            guard let next = lines.next() else { return false }
            line = next
        }
    }

    /// Returns true if the line can only continue a value; up to three spaces may precede a key.
    private static func isIndented(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "    ".utf8) || line.starts(with: "\t".utf8)
    }

    private static func withoutCommentMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let text = TextLines.trimmed(line)
        return text.starts(with: "<!--".utf8) ? TextLines.trimmed(text.dropFirst(4)) : text
    }

    /// The key of a line like `Status: draft` or `is draft : yes`, without its spaces.
    private static func key(of line: ArraySlice<UInt8>) -> String? {
        guard let colon = line.prefix(100).firstIndex(of: UInt8(ascii: ":")),
            colon > line.startIndex,
            line[..<colon].allSatisfy({ byte in
                isLetter(byte) || byte >= 0x80 || "0123456789-_. \t".utf8.contains(byte)
            }),
            // A list is no key.
            !line.starts(with: "- ".utf8)
        else { return nil }
        let key = line[..<colon].filter { !" \t".utf8.contains($0) }
        return key.isEmpty ? nil : String(decoding: key, as: UTF8.self)
    }
}

/// The lines of a text, each without its end: LF, CRLF or CR.
struct TextLines {
    private let text: ArraySlice<UInt8>
    /// The start of the next line.
    private(set) var position: Int

    private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    /// White space, and characters that editors do not show.
    private static let blanks = [
        " ", "\t", "\u{B}", "\u{C}", "\r", "\u{A0}", "\u{200B}", "\u{3000}", "\u{FEFF}",
    ]
    .map { Array($0.utf8) }

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        position = text.startIndex
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < text.endIndex else { return nil }
        let rest = text[position...]
        let end =
            rest.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn } ?? text.endIndex
        position = min(end + 1, text.endIndex)
        if end < text.endIndex, text[end] == Self.carriageReturn, position < text.endIndex,
            text[position] == Self.lineFeed
        {
            position += 1
        }
        return rest[..<end]
    }

    /// The text with a line feed for each carriage return that is not followed by one.
    static func withLineFeeds(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(text)
        for index in bytes.indices where bytes[index] == carriageReturn {
            if index + 1 == bytes.count || bytes[index + 1] != lineFeed { bytes[index] = lineFeed }
        }
        return bytes
    }

    /// A line without the white space and the invisible characters on both sides.
    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line
        while let blank = blanks.first(where: { line.starts(with: $0) }) {
            line = line.dropFirst(blank.count)
        }
        while let blank = blanks.first(where: { line.suffix($0.count).elementsEqual($0) }) {
            line = line.dropLast(blank.count)
        }
        return line
    }
}
