/// Reads the text of sanitised HTML, tag by tag.
struct HTMLText {
    private let bytes: [UInt8]
    private var position = 0
    private var result = ""
    private var scalars = 0
    /// The element whose content is skipped, and how many of them are open.
    private var skipped: (name: String, depth: Int)?

    /// Elements that are not prose.
    private static let skippedElements: Set<String> = ["pre", "table", "script", "style", "sup"]
    /// Elements that separate no words.
    private static let inlineElements: Set<String> = [
        "a", "b", "code", "del", "em", "i", "ins", "mark", "s", "small", "span", "strong", "sub",
        "sup", "u",
    ]

    init(_ html: String, readBytes: Int) { bytes = Array(html.utf8.prefix(readBytes)) }

    /// Returns the text until it has at least `limit` scalars, or all of it.
    mutating func read(atLeast limit: Int) -> String {
        // Invariant: what is before `position` is in `result`, except for tags and what is skipped.
        while position < bytes.count, scalars < limit {
            switch bytes[position] {
            case UInt8(ascii: "<") where beginsTag: readTag()
            case UInt8(ascii: "&"): readEntity()
            default: readText()
            }
        }
        return result
    }

    /// True if the `<` at the position begins a tag or a comment; else it is text.
    private var beginsTag: Bool {
        guard position + 1 < bytes.count else { return false }
        let next = bytes[position + 1]
        return (next | 0x20) &- UInt8(ascii: "a") < 26 || next == UInt8(ascii: "/")
            || next == UInt8(ascii: "!") || next == UInt8(ascii: "?")
    }

    private mutating func append(_ text: some StringProtocol) {
        guard skipped == nil else { return }
        result += text
        scalars += text.unicodeScalars.count
    }

    private mutating func readText() {
        let start = position
        position += 1
        // Long texts are read in parts that end before an ASCII character.
        while position < bytes.count, bytes[position] != UInt8(ascii: "<"),
            bytes[position] != UInt8(ascii: "&"),
            position - start < 1_024 || bytes[position] >= 0x80
        {
            position += 1
        }
        append(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func readTag() {
        if bytes[position...].starts(with: "<!--".utf8) {
            position = end(of: "-->", from: position + 4)
            return
        }
        var cursor = position + 1
        let isEnd = bytes[cursor] == UInt8(ascii: "/")
        if isEnd { cursor += 1 }
        let start = cursor
        while cursor < bytes.count, Self.isNameByte(bytes[cursor]) { cursor += 1 }
        let name = String(decoding: bytes[start..<cursor], as: UTF8.self).lowercased()
        var quote: UInt8?
        // Invariant: a `>` before `cursor` is within quotes.
        while cursor < bytes.count, quote != nil || bytes[cursor] != UInt8(ascii: ">") {
            let byte = bytes[cursor]
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            cursor += 1
        }
        position = min(cursor + 1, bytes.count)
        note(name, isEnd: isEnd)
    }

    /// The position after the next occurrence of the text, or the end.
    private func end(of text: String, from start: Int) -> Int {
        var cursor = start
        while cursor < bytes.count {
            if bytes[cursor...].starts(with: text.utf8) { return cursor + text.utf8.count }
            cursor += 1
        }
        return bytes.count
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }

    private mutating func note(_ name: String, isEnd: Bool) {
        if let (outer, depth) = skipped {
            guard name == outer else { return }
            skipped = isEnd && depth == 1 ? nil : (outer, depth + (isEnd ? -1 : 1))
            return
        }
        if !Self.inlineElements.contains(name) { append(" ") }
        if !isEnd, Self.skippedElements.contains(name) { skipped = (name, 1) }
    }

    /// Reads `&amp;`, `&#39;`, `&#x27;` and a few other names; anything else remains as it is.
    private mutating func readEntity() {
        let window = bytes[position...].prefix(10)
        guard let end = window.firstIndex(of: UInt8(ascii: ";")),
            let scalar = Self.scalar(bytes[position + 1..<end])
        else {
            position += 1
            append("&")
            return
        }
        position = end + 1
        append(String(scalar))
    }

    private static func scalar(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: name, as: UTF8.self)
        if text.hasPrefix("#") {
            let digits = text.dropFirst()
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            let number =
                isHexadecimal
                ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
            // NUL is not text.
            return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        }
        return [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}",
            "hellip": "…", "mdash": "—", "ndash": "–",
        ][text]
    }
}
