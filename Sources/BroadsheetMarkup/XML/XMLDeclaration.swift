/// The content of an XML declaration, `<?xml version="1.0" encoding="UTF-8"?>` (XML 1.0 §2.8).
struct XMLDeclaration {
    private(set) var encoding: String?
    /// True if it is as XML prescribes.
    private(set) var isWellFormed = false

    static let start = Array("<?xml".utf8)

    /// - Parameter token: from `<?xml` to `?>`.
    init(_ token: ArraySlice<UInt8>) {
        var rest = token.dropFirst(Self.start.count).dropLast(2)
        var names: [String] = []
        var isRight = true
        // Invariant: `rest` follows the attributes with these names.
        while let (name, value) = Self.attribute(&rest, &isRight) {
            if name == "encoding" { encoding = value }
            if name == "version" { isRight = isRight && value == "1.0" }
            if name == "standalone" { isRight = isRight && ["yes", "no"].contains(value) }
            if name == "encoding" { isRight = isRight && Self.isName(value) }
            names.append(name)
        }
        let order = ["version", "encoding", "standalone"].filter(names.contains)
        isWellFormed = isRight && rest.isEmpty && names == order && names.first == "version"
    }

    private static func isName(_ encoding: String) -> Bool {
        encoding.utf8.first.map { (0x61...0x7A).contains($0 | 0x20) } == true
            && encoding.utf8.allSatisfy { XMLNames.isPart($0) && $0 < 0x80 && $0 != 0x3A }
    }

    private static func attribute(
        _ rest: inout ArraySlice<UInt8>, _ isRight: inout Bool
    ) -> (String, String)? {
        let count = rest.count
        rest = rest.drop(while: XMLNames.isSpace)
        guard let first = rest.first, XMLNames.isStart(first) else { return nil }
        if rest.count == count { isRight = false }
        let name = rest.prefix { XMLNames.isPart($0) }
        rest = rest.dropFirst(name.count).drop(while: XMLNames.isSpace)
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst().drop(while: XMLNames.isSpace)
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return nil }
        let value = rest.dropFirst().prefix { $0 != quote }
        rest = rest.dropFirst(value.count + 1)
        guard rest.first == quote else { return nil }
        rest = rest.dropFirst()
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
}
