/// Reads the text of sanitized HTML, tag by tag. See ``PlainText``.
struct HTMLText {
    private let source: [UInt8]
    private var position = 0
    private var text: [UInt8] = []
    /// The element whose content is skipped, and how many of its name are open.
    private var skipped: (name: String, depth: Int)?

    /// Elements that are not prose.
    private static let skippedElements: Set<String> = ["pre", "table", "script", "style", "sup"]
    /// Elements that separate no words.
    private static let inlineElements: Set<String> = [
        "a", "b", "code", "del", "em", "i", "ins", "mark", "s", "small", "span", "strong", "sub",
        "sup", "u",
    ]

    init(_ source: [UInt8]) { self.source = source }

    /// Returns the text until it has at least `limit` bytes, or all of it.
    mutating func read(atLeast limit: Int) -> String {
        // Invariant: what is before `position` is in `text`, except for tags and what is skipped.
        while position < source.count, text.count < limit {
            if source[position] == UInt8(ascii: "<"), beginsTag {
                readTag()
            } else if let reference = CharacterReference(source[position...]) {
                append(UTF8.encode(reference.scalar)!)
                position += reference.length
            } else {
                readText()
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// True if the `<` at the position begins a tag or a comment; else it is text.
    private var beginsTag: Bool {
        guard let next = source[position...].dropFirst().first else { return false }
        return Self.isLetter(next) || "/!?".utf8.contains(next)
    }

    private mutating func append(_ bytes: some Sequence<UInt8>) {
        if skipped == nil { text += bytes }
    }

    private mutating func readText() {
        let start = position
        position += 1
        // Long texts are read in parts that end before an ASCII character.
        while position < source.count, !"<&".utf8.contains(source[position]),
            position - start < 1_024 || source[position] >= 0x80
        {
            position += 1
        }
        append(source[start..<position])
    }

    private mutating func readTag() {
        let rest = source[position...]
        if rest.starts(with: "<!--".utf8) {
            position = rest.firstRange(of: "-->".utf8)?.upperBound ?? source.count
            return
        }
        let isEnd = rest.dropFirst().first == UInt8(ascii: "/")
        let attributes = rest.dropFirst(isEnd ? 2 : 1)
        let name = attributes.prefix { Self.isLetter($0) || $0 &- UInt8(ascii: "0") < 10 }
        var quote: UInt8?
        // A `>` within quotes does not end the tag.
        let end = attributes.firstIndex { byte in
            if byte == quote {
                quote = nil
            } else if quote == nil, "\"'".utf8.contains(byte) {
                quote = byte
            }
            return quote == nil && byte == UInt8(ascii: ">")
        }
        position = end.map { $0 + 1 } ?? source.count
        note(String(decoding: name, as: UTF8.self).lowercased(), isEnd: isEnd)
    }

    private mutating func note(_ name: String, isEnd: Bool) {
        if let (outer, depth) = skipped {
            guard name == outer else { return }
            skipped = isEnd && depth == 1 ? nil : (outer, depth + (isEnd ? -1 : 1))
            return
        }
        if !Self.inlineElements.contains(name) { text.append(UInt8(ascii: " ")) }
        if !isEnd, Self.skippedElements.contains(name) { skipped = (name, 1) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
}

/// A character that HTML or Markdown has by a number or one of a few names: `&amp;`, `&#39;`.
struct CharacterReference {
    let scalar: Unicode.Scalar
    /// In bytes, with `&` and `;`.
    let length: Int

    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
        "hellip": "…", "mdash": "—", "ndash": "–", "middot": "·",
    ]

    /// Reads the reference at the beginning of the text; `nil` if there is none.
    init?(_ text: ArraySlice<UInt8>) {
        let window = text.prefix(10)
        guard window.first == UInt8(ascii: "&"),
            let end = window.firstIndex(of: UInt8(ascii: ";"))
        else { return nil }
        let name = String(decoding: window[window.startIndex + 1..<end], as: UTF8.self)
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number =
            isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        // NUL is not text.
        let numbered = number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        guard let scalar = name.first == "#" ? numbered : Self.names[name] else { return nil }
        self.scalar = scalar
        length = end + 1 - window.startIndex
    }
}
