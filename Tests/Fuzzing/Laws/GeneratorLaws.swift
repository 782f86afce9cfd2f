import BroadsheetSwiftGenerator
import ParserLaws

/// Untrusted documents from which Swift is generated: the same document gives the same text, and
/// nothing of it leaves the string literals and comments. Whether the text compiles is tested by
/// `Tests/BroadsheetSwiftGeneratorTests`, as that takes a second for each.
enum GeneratorLaws {
    static func samples(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        for isCodable in [false, true] {
            var options = SwiftGenerator.Options()
            options.isCodable = isCodable
            let source = SwiftGenerator.Source(name: "sample.json", bytes: input)
            let text = try? SwiftGenerator.models(
                named: "Sample", samples: [source], options: options)
            let again = try? SwiftGenerator.models(
                named: "Sample", samples: [source], options: options)
            laws.expect(text == again, "the same sample gives the same text")
            if let text { check(text, &laws) }
        }
        return laws.broken
    }

    static func descriptions(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        var options = SwiftGenerator.Options()
        options.skipsUnsupported = true
        let source = SwiftGenerator.Source(name: "api.json", bytes: input)
        let result = try? SwiftGenerator.requests(from: source, options: options)
        let again = try? SwiftGenerator.requests(from: source, options: options)
        laws.expect(result == again, "the same description gives the same text")
        guard let result else { return laws.broken }
        check(result.text, &laws)
        let strict = try? SwiftGenerator.requests(from: source)
        laws.expect(
            (strict == nil) != result.leftOut.isEmpty,
            "what is not supported is an error, or is listed")
        for finding in result.leftOut {
            laws.expect(
                finding.pointer.isEmpty || finding.pointer.hasPrefix("/"),
                "a finding has a JSON pointer")
        }
        return laws.broken
    }

    private static func check(_ text: String, _ laws: inout ViolationCollector) {
        var depth = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            laws.expect(
                line.unicodeScalars.count <= 100, "a line has at most 100 columns: \(line)")
            laws.expect(line.last != " ", "no line ends with a space")
            guard let code = code(line) else {
                laws.expect(false, "each literal ends on its line: \(line)")
                continue
            }
            laws.expect(
                code.utf8.allSatisfy { (0x20..<0x7F).contains($0) },
                "everything else is ASCII: \(line)")
            for byte in code.utf8 {
                switch byte {
                case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
                case UInt8(ascii: ";"): laws.expect(false, "a line has one statement: \(line)")
                default: break
                }
            }
            laws.expect(depth >= 0, "brackets are opened before they are closed")
        }
        laws.expect(depth == 0, "brackets that are opened are closed")
    }

    /// A line without its comment and the content of its literals; `nil` if a literal does not end.
    private static func code(_ line: Substring) -> String? {
        var code = ""
        var rest = line.unicodeScalars[...]
        // Invariant: `code` is that of the part before `rest`.
        while let scalar = rest.popFirst() {
            if scalar == "/", rest.first == "/" { return code }
            code.unicodeScalars.append(scalar)
            guard scalar == "\"" else { continue }
            var isOpen = true
            while isOpen, let next = rest.popFirst() {
                // An escape is of one character; `\u{…}` has no quotation mark either.
                if next == "\\" {
                    if rest.popFirst() == "(" { return nil }
                } else if next == "\"" {
                    isOpen = false
                }
            }
            if isOpen { return nil }
            code += "\""
        }
        return code
    }
}
