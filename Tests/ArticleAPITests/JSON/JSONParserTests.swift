import ArticleAPI
import BroadsheetTestSupport
import Testing

/// Reading JSON text.
struct JSONParserTests {
    private func parse(_ text: String) throws(JSONSyntaxError) -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test func `values of every kind are parsed`() throws {
        let value = try parse(#" {"a": [null, true, false, -1.5e3, "x"], "b": {}, "c": []} "#)
        guard case .object(let members) = value, case .array(let items) = members[0].value else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["a", "b", "c"])
        #expect(Array(items[..<3]) == [.null, .boolean(true), .boolean(false)])
        guard case .number(let number) = items[3] else {
            Issue.record("no number")
            return
        }
        #expect(number.text == "-1.5e3")
        #expect(number.integer == nil)
        #expect(number.double == -1500)
        #expect(items[4] == .string("x"))
    }

    @Test func `integers are exact up to 64 bits`() throws {
        for (text, integer) in [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("0", 0),
            ("-0", 0), ("9223372036854775808", nil), ("1.0", nil), ("1e2", nil),
        ] {
            guard case .number(let number) = try parse(text) else {
                Issue.record("\(text) is not a number")
                continue
            }
            #expect(number.integer == integer, "\(text)")
        }
    }

    @Test func `escapes are decoded and surrogate pairs joined`() throws {
        let text = #""\" \\ \/ \b \f \n \r \t \u00e9 \uD55C \ud83d\uDE00 \u0000 é""#
        #expect(try parse(text) == .string("\" \\ / \u{8} \u{C} \n \r \t é 한 😀 \0 é"))
    }

    @Test(
        arguments: [
            ("", .endOfText, 0), ("[1,", .endOfText, 3), ("\"abc", .endOfText, 4),
            ("tru", .endOfText, 0), ("trua", .badLiteral, 0), ("nul!", .badLiteral, 0),
            ("[1,]", .unexpectedByte(0x5D), 3), ("{\"a\":1,}", .unexpectedByte(0x7D), 7),
            ("{a:1}", .unexpectedByte(0x61), 1), ("{\"a\" 1}", .unexpectedByte(0x31), 5),
            ("[1 2]", .unexpectedByte(0x32), 3), ("'a'", .unexpectedByte(0x27), 0),
            ("\u{FEFF}1", .unexpectedByte(0xEF), 0), ("NaN", .unexpectedByte(0x4E), 0),
            ("01", .badNumber, 1), ("-", .badNumber, 1), ("1.", .badNumber, 2),
            (".5", .unexpectedByte(0x2E), 0), ("1e", .badNumber, 2),
            ("+1", .unexpectedByte(0x2B), 0),
            ("\"\\x\"", .badEscape, 1), ("\"\\u12G4\"", .badEscape, 1), ("\"\\u12", .endOfText, 1),
            ("\"\\ud800\"", .loneSurrogate, 1), ("\"\\ud800\\u0041\"", .loneSurrogate, 1),
            ("\"\\udc00\"", .loneSurrogate, 1), ("\"a\nb\"", .controlCharacter, 2),
            ("1 1", .trailingBytes, 2), ("{} x", .trailingBytes, 3),
            (#"{"a":1,"b":2,"a":3}"#, .duplicateName("a"), 13),
            (#"{"a":1,"\u0061":3}"#, .duplicateName("a"), 7),
        ] as [(String, JSONSyntaxError.Reason, Int)])
    func `invalid JSON is rejected at the right place`(
        text: String, reason: JSONSyntaxError.Reason, offset: Int
    ) {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
    func `invalid UTF-8 is rejected`(bytes: [UInt8]) {
        for prefix in ["\"", "\"\\n"] {
            let text = Array(prefix.utf8) + bytes + [0x22]
            let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(text) }
            #expect(error?.reason == .invalidUTF8)
        }
    }

    @Test func `an error names line, column and path`() {
        let text = "{\"items\": [\n  {\"author\": {\"the name\": 01}}\n]}"
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.line == 2)
        #expect(error?.column == 28)
        #expect(error?.path.description == "$.items[0].author[\"the name\"]")
        #expect(error?.path.pointer == "/items/0/author/the name")
    }

    @Test func `depth is bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try parse(nested(JSONParser.limitDepth))
        let error = #expect(throws: JSONSyntaxError.self) {
            try parse(nested(JSONParser.limitDepth + 1))
        }
        #expect(error?.reason == .tooDeep(limit: 64))
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 100_000)) }
    }

    @Test func `the number of values is bounded`() {
        let text = "[" + String(repeating: "0,", count: JSONParser.limitValues) + "0]"
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.reason == .tooManyValues(limit: JSONParser.limitValues))
    }

    @Test func `a duplicate name is found among many`() {
        let members = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")
        for name in ["n0", "n16", "n39"] {
            let error = #expect(throws: JSONSyntaxError.self) {
                try parse("{\(members),\"\(name)\":1}")
            }
            #expect(error?.reason == .duplicateName(name))
        }
    }

    @Test func `mutated texts never trap the parser`() {
        var random = SplitMix64(seed: 5)
        let text = Array(#"{"a":[1,-2.5e+3,"\u00e9\ud83d\ude00\n",true,null],"b":{"c":"한"}}"#.utf8)
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { break }
            }
            guard let value = try? JSONParser.parse(bytes) else { continue }
            var writer = JSONWriter()
            value.write(to: &writer)
            #expect((try? JSONParser.parse(writer.bytes)) == value)
        }
    }
}
