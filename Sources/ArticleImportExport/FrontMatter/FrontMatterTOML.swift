import BroadsheetHTTP

/// Reads the TOML of front matter (TOML 1.0): strings, numbers, times, Booleans, arrays and tables.
///
/// Unknown syntax is an error, so that nothing is misread. Each byte is read once.
struct TOMLReader {
    private let text: [UInt8]
    private var position = 0
    private var line: Int
    private var depth = 0

    /// Parses TOML that begins on line `firstLine` of its file.
    ///
    /// A table has its own entry each time that it is named, so that a name may have several.
    static func mapping(
        of text: [UInt8], firstLine: Int
    ) throws(FrontMatterError) -> FrontMatterNode.Entries {
        var reader = TOMLReader(text: text, line: firstLine)
        var all: FrontMatterNode.Entries = []
        var table = Table()
        // Invariant: all lines before `position` are read, those since the last header to `table`.
        while reader.skipBlanks(andLines: true) != nil {
            if reader.take("[") {
                let closing = reader.take("[") ? "]]" : "]"
                all += table.entries
                table = Table(path: try reader.keys())
                guard reader.take(closing) else { throw reader.fault("a name is not closed") }
            } else {
                try reader.pair(in: &table)
            }
            guard [nil, 0x0A, 0x0D].contains(reader.skipBlanks()) else {
                throw reader.fault("something follows a value")
            }
        }
        return all + table.entries
    }

    /// The keys below a header, or of an inline table.
    private struct Table {
        var path: [String] = []
        var content: FrontMatterNode.Entries = []
        var keys: Set<[String]> = []

        var entries: FrontMatterNode.Entries {
            guard !path.isEmpty, let line = content.first?.node.line else { return content }
            return [TOMLReader.entry(path, FrontMatterNode(value: .mapping(content), line: line))]
        }
    }

    /// `a.b.c` as an entry `a` with mappings in its value.
    private static func entry(
        _ path: [String], _ node: FrontMatterNode
    ) -> (key: String, node: FrontMatterNode) {
        let value = path.dropFirst().reversed().reduce(node) { value, key in
            FrontMatterNode(value: .mapping([(key, value)]), line: value.line)
        }
        return (path[0], value)
    }

    private mutating func pair(in table: inout Table) throws(FrontMatterError) {
        let path = try keys()
        guard take("=") else { throw fault("a key has no value") }
        guard table.keys.insert(path).inserted else {
            throw error(.duplicateKey(path.joined(separator: ".")))
        }
        table.content.append(Self.entry(path, try value()))
    }

    /// A key, or several between dots, and the blanks on both sides.
    private mutating func keys() throws(FrontMatterError) -> [String] {
        var keys: [String] = []
        repeat {
            let isQuoted = skipBlanks().map { "\"'".utf8.contains($0) } ?? false
            try keys.append(isQuoted ? string() : takeAll { Self.isWord($0) || $0 == 0x2D })
            guard isQuoted || keys.last != "" else { throw fault("a key is missing") }
            guard keys.count <= FrontMatter.limitDepth else { throw error(.tooDeep) }
            _ = skipBlanks()
        } while take(".")
        return keys
    }

    // MARK: Values

    private mutating func value() throws(FrontMatterError) -> FrontMatterNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= FrontMatter.limitDepth else { throw error(.tooDeep) }
        let next = skipBlanks()
        let start = line
        switch next {
        case UInt8(ascii: "["): return FrontMatterNode(value: .list(try array()), line: start)
        case UInt8(ascii: "{"): return FrontMatterNode(value: .mapping(try inline()), line: start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return FrontMatterNode(value: .scalar(try string(), isPlain: false), line: start)
        default: return FrontMatterNode(value: .scalar(try word(), isPlain: true), line: start)
        }
    }

    private mutating func array() throws(FrontMatterError) -> [FrontMatterNode] {
        var items: [FrontMatterNode] = []
        _ = take("[")
        // Invariant: all items before `position` are read, with the commas after them.
        while let next = skipBlanks(andLines: true), next != UInt8(ascii: "]") {
            items.append(try value())
            _ = skipBlanks(andLines: true)
            guard take(",") else { break }
        }
        guard take("]") else { throw fault("an array is not closed") }
        return items
    }

    private mutating func inline() throws(FrontMatterError) -> FrontMatterNode.Entries {
        var table = Table()
        _ = take("{")
        if skipBlanks() != UInt8(ascii: "}") {
            repeat {
                try pair(in: &table)
                _ = skipBlanks()
            } while take(",")
        }
        guard take("}") else { throw fault("an inline table is not closed") }
        return table.entries
    }

    /// A Boolean, a number or a time.
    private mutating func word() throws(FrontMatterError) -> String {
        let isPart: (UInt8) -> Bool = { Self.isWord($0) || "+-.:".utf8.contains($0) }
        var word = takeAll(isPart)
        // A space may separate date and time.
        if word.utf8.count == 10, word.contains("-"), take(" ") { word += " " + takeAll(isPart) }
        let number = word.utf8.drop { "+-".utf8.contains($0) }
        let isNumber =
            number.first.map(Self.isDigit) == true
            && number.allSatisfy { Self.isDigit($0) || "+-_.:TtZzeE ".utf8.contains($0) }
        guard isNumber || word == "true" || word == "false" else {
            throw fault("a value is not known")
        }
        return word
    }

    private mutating func string() throws(FrontMatterError) -> String {
        let marks = ["\"\"\"", "'''", "\"", "'"]
        guard let mark = marks.first(where: { take($0) }) else { return "" }
        let isMultiLine = mark.utf8.count == 3
        if isMultiLine, take("\r\n") || take("\n") { line += 1 }
        var bytes: [UInt8] = []
        // Invariant: `bytes` is the string up to `position`.
        while !take(mark) {
            guard position < text.count, isMultiLine || text[position] != 0x0A else {
                throw fault("a string is not closed")
            }
            if mark == "\"\"\"", take("\\\n") || take("\\\r\n") {
                line += 1
                let end = text[position...].firstIndex { !" \t\r\n".utf8.contains($0) }
                line += text[position..<(end ?? text.count)].count { $0 == 0x0A }
                position = end ?? text.count
            } else if mark.hasPrefix("\""), take("\\") {
                bytes += try escaped().utf8
            } else {
                line += text[position] == 0x0A ? 1 : 0
                bytes.append(text[position])
                position += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self).streamSafe
    }

    private static let escapes = [
        ("\"", "\""), ("\\", "\\"), ("n", "\n"), ("t", "\t"), ("r", "\r"), ("b", "\u{8}"),
        ("f", "\u{C}"),
    ]

    /// Reads the text that a backslash and the following characters stand for.
    private mutating func escaped() throws(FrontMatterError) -> String {
        for (escape, text) in Self.escapes where take(escape) { return text }
        let count = take("u") ? 4 : take("U") ? 8 : 0
        let digits = text[position...].prefix(count)
        let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        guard digits.count == count, digits.first != UInt8(ascii: "+"),
            let scalar = number.flatMap(Unicode.Scalar.init)
        else { throw fault("an escape is not known") }
        position += count
        return String(scalar)
    }

    // MARK: Bytes

    /// Skips white space and comments; returns the next byte, and `nil` at the end.
    private mutating func skipBlanks(andLines: Bool = false) -> UInt8? {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09: break
            case 0x0A where andLines: line += 1
            case 0x0D where andLines: break
            case UInt8(ascii: "#"):
                position = text[position...].firstIndex(of: 0x0A) ?? text.count
                continue
            default: return text[position]
            }
            position += 1
        }
        return nil
    }

    private mutating func take(_ word: String) -> Bool {
        guard text[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    private mutating func takeAll(_ isPart: (UInt8) -> Bool) -> String {
        let start = position
        position = text[position...].firstIndex { !isPart($0) } ?? text.count
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns true if the byte is a letter, a digit or an underscore.
    private static func isWord(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || isDigit(byte) || byte == UInt8(ascii: "_")
    }

    private func error(_ reason: FrontMatterError.Reason) -> FrontMatterError {
        FrontMatterError(line: line, reason: reason)
    }

    private func fault(_ message: String) -> FrontMatterError { error(.invalidTOML(message)) }
}
