/// A start tag, from `<` to `>`, whose attributes may have been written as in HTML.
struct XMLStartTag {
    let name: ArraySlice<UInt8>
    /// True if it ends with `/>`.
    private(set) var isEmpty = false
    /// The tag as XML; as it was, if it was right.
    private(set) var repaired: [UInt8] = []
    private(set) var repairs: [XMLRepairs.Kind] = []
    private let token: [UInt8]
    /// The index of the last `>`.
    private let end: Int
    private var references: XMLReferences
    private var names: Set<ArraySlice<UInt8>> = []

    /// `nil` if no name follows the `<`, as in `<jane@example.org>`.
    init?(_ token: [UInt8], _ references: XMLReferences) {
        let end = token.count - 1
        let name = token[1..<end].prefix { XMLNames.isPart($0) }
        let next = token[name.endIndex]
        let isSlash = next == UInt8(ascii: "/") && name.endIndex == end - 1
        guard isSlash || name.endIndex == end || XMLNames.isSpace(next) else { return nil }
        self.token = token
        self.end = end
        self.name = name
        self.references = references
        repaired = Array(token[..<name.endIndex])
        readAttributes()
        repaired.append(UInt8(ascii: ">"))
    }

    private mutating func readAttributes() {
        var index = name.endIndex
        // Invariant: token[..<index] is in `repaired`, as far as it is kept.
        while true {
            let gap = token[index..<end].prefix { XMLNames.isSpace($0) }
            repaired += gap
            index = gap.endIndex
            guard index < end else { return }
            if token[index] == UInt8(ascii: "/"), index == end - 1 {
                isEmpty = true
                repaired.append(UInt8(ascii: "/"))
                return
            }
            index = readAttribute(at: index, isSeparate: !gap.isEmpty)
        }
    }

    /// - Returns: the index after the attribute.
    private mutating func readAttribute(at start: Int, isSeparate: Bool) -> Int {
        let name = token[start..<end].prefix {
            !XMLNames.isSpace($0) && !"=/\"'".utf8.contains($0)
        }
        guard !name.isEmpty else {
            repairs.append(.attribute)
            return start + 1
        }
        let value = self.value(after: name.endIndex)
        guard XMLNames.isName(name), names.insert(name).inserted else {
            repairs.append(.attribute)
            return value?.end ?? name.endIndex
        }
        if !isSeparate {
            repairs.append(.attribute)
            repaired.append(0x20)
        }
        guard let value else {
            repairs.append(.attribute)
            repaired += name + Array("=\"".utf8) + name + Array("\"".utf8)
            return name.endIndex
        }
        if value.quote == nil { repairs.append(.attribute) }
        let quote = value.quote ?? UInt8(ascii: "\"")
        repaired += name
        if value.quote == nil {
            repaired += "=\"".utf8
        } else {
            repaired += token[name.endIndex..<value.start]
        }
        append(value: token[value.start..<value.valueEnd], in: quote)
        repaired.append(quote)
        return value.end
    }

    private typealias Value = (quote: UInt8?, start: Int, valueEnd: Int, end: Int)

    /// The value after the name of an attribute; `nil` if there is none.
    private func value(after nameEnd: Int) -> Value? {
        let sign = token[nameEnd..<end].prefix { XMLNames.isSpace($0) }.endIndex
        guard sign < end, token[sign] == UInt8(ascii: "=") else { return nil }
        let start = token[(sign + 1)..<end].prefix { XMLNames.isSpace($0) }.endIndex
        if start < end, token[start] == UInt8(ascii: "\"") || token[start] == UInt8(ascii: "'") {
            let close = token[(start + 1)..<end].firstIndex(of: token[start]) ?? end
            return (token[start], start + 1, close, min(close + 1, end))
        }
        var rest = token[start..<end].prefix { !XMLNames.isSpace($0) }
        if rest.endIndex == end, rest.last == UInt8(ascii: "/") { rest.removeLast() }
        return (nil, start, rest.endIndex, rest.endIndex)
    }

    private mutating func append(value: ArraySlice<UInt8>, in quote: UInt8) {
        var index = value.startIndex
        var start = index
        // Invariant: value[..<start] is in `repaired`, and value[start..<index] is kept as it is.
        while index < value.endIndex {
            let byte = value[index]
            var end = index + 1
            let replacement: XMLReferences.Replacement?
            switch byte {
            case UInt8(ascii: "<"): replacement = (Array("&lt;".utf8), .markup)
            case quote: replacement = (Array("&quot;".utf8), .attribute)
            case UInt8(ascii: "&"):
                end = Self.referenceEnd(in: value, at: index)
                if start < index { references.noteOther() }
                replacement = references.replacement(for: value[index..<end])
            default: replacement = nil
            }
            if let replacement {
                repaired += value[start..<index]
                repaired += replacement.bytes
                repairs.append(replacement.kind)
                start = end
            }
            index = end
        }
        references.noteOther()
        repaired += value[start...]
    }

    private static func referenceEnd(in value: ArraySlice<UInt8>, at start: Int) -> Int {
        let name = value[(start + 1)...].prefix(XMLReferences.limitBytes).prefix {
            XMLReferences.isPart($0)
        }
        let end = name.endIndex
        return end < value.endIndex && value[end] == UInt8(ascii: ";") ? end + 1 : end
    }
}
