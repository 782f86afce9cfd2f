/// Writes HTML so that libxml2, which reads HTML 4, reads it as browsers do.
///
/// - Void elements that it does not know, such as `source`, end with `/>`. Otherwise the nodes
///   after them would be their content.
/// - Bogus comments, such as `<![CDATA[…]]>`, are left out (HTML §13.2.5.41). Otherwise they would
///   be text.
struct HTMLNormalizer {
    private let bytes: [UInt8]
    private var output: [UInt8] = []
    /// `bytes[..<copied]` are in the output, or left out.
    private var copied = 0

    private static let voidElements: Set<String> = [
        "bgsound", "command", "embed", "keygen", "source", "track", "wbr",
    ]
    /// Elements whose content has no tags.
    private static let rawElements: Set<String> = [
        "script", "style", "textarea", "title", "xmp",
    ]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func normalized(_ bytes: [UInt8]) -> [UInt8] {
        var normalizer = HTMLNormalizer(bytes)
        normalizer.normalize()
        guard normalizer.copied > 0 else { return bytes }
        return normalizer.output + bytes[normalizer.copied...]
    }

    private mutating func normalize() {
        var index = 0
        // Invariant: no markup begins before the index and ends after it. Markup without an end is
        // left as it is, as is all that follows it, so that no byte is looked through more than
        // twice.
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            guard let end = end(of: start) else { return }
            index = end
        }
    }

    /// - Returns: The index after the markup, or after text that only looks like it.
    private mutating func end(of start: Int) -> Int? {
        let rest = bytes[(start + 1)...]
        guard let next = rest.first else { return nil }
        if Self.isLetter(next) { return endOfTag(start) }
        guard next == UInt8(ascii: "!") else { return start + 1 }
        if rest.starts(with: "!--".utf8) { return endOfComment(rest.dropFirst(3)) }
        guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let name = rest.dropFirst().prefix(7).map { $0 | 0x20 }
        if !name.elementsEqual("doctype".utf8) {
            output += bytes[copied..<start]
            copied = close + 1
        }
        return close + 1
    }

    private mutating func endOfTag(_ start: Int) -> Int? {
        let letters = bytes[(start + 1)...].prefix(16).prefix {
            Self.isLetter($0) || (0x30...0x39).contains($0)
        }
        guard let close = close(from: letters.endIndex) else { return nil }
        let name = String(decoding: letters.map { $0 | 0x20 }, as: UTF8.self)
        if Self.voidElements.contains(name) {
            output += bytes[copied..<close]
            output += " /".utf8
            copied = close
        }
        guard Self.rawElements.contains(name) else { return close + 1 }
        return endOfContent(name, from: close + 1)
    }

    /// The `>` that ends a tag; those in quoted values do not.
    private func close(from start: Int) -> Int? {
        var quote: UInt8?
        var isValueExpected = false
        // Invariant: `quote` is that of the value that the index is in.
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: ">"): return index
            case UInt8(ascii: "="): isValueExpected = true
            case UInt8(ascii: "\"") where isValueExpected, UInt8(ascii: "'") where isValueExpected:
                quote = byte
                isValueExpected = false
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: break
            default: isValueExpected = false
            }
        }
        return nil
    }

    private func endOfComment(_ rest: ArraySlice<UInt8>) -> Int? {
        var dashes = 2
        // Invariant: `dashes` dashes, or two for the beginning, are before the index.
        for index in rest.indices {
            if bytes[index] == UInt8(ascii: ">"), dashes >= 2 { return index + 1 }
            dashes = bytes[index] == UInt8(ascii: "-") ? dashes + 1 : 0
        }
        return nil
    }

    private func endOfContent(_ name: String, from start: Int) -> Int? {
        var index = start
        // Invariant: the content does not end before the index.
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let end = bytes[(open + 1)...].prefix(name.utf8.count + 1)
            if end.first == UInt8(ascii: "/"),
                end.dropFirst().map({ $0 | 0x20 }).elementsEqual(name.utf8)
            {
                return open
            }
            index = open + 1
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
