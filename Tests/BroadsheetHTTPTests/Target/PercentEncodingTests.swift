import BroadsheetHTTP
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("%41%6a", "Aj"), ("%EA%B8%80", "글"), ("글", "글"), ("%25", "%"),
        ("%2F%3f", "/?"), ("a+b", "a+b"), ("%0A", "\n"),
    ])
    func `text is decoded`(encoded: String, decoded: String) throws {
        #expect(try PercentEncoding.decode(encoded.utf8) == decoded)
    }

    @Test(
        arguments: [
            ("%", .badEscape), ("a%2", .badEscape), ("%2G", .badEscape), ("%G2", .badEscape),
            ("%%41", .badEscape), ("% 41", .badEscape), ("%u0041", .badEscape), ("%+1", .badEscape),
            ("%00", .nul), ("a\0", .nul), ("%FF", .invalidUTF8), ("%C0%AF", .invalidUTF8),
            ("%ED%A0%80", .invalidUTF8), ("%EA%B8", .invalidUTF8), ("%F5%80%80%80", .invalidUTF8),
        ] as [(String, PercentEncoding.DecodingError)])
    func `invalid encodings are rejected with a reason`(
        encoded: String, error: PercentEncoding.DecodingError
    ) {
        #expect(throws: error) { try PercentEncoding.decode(encoded.utf8) }
    }

    @Test func `a plus is a space only in a query`() throws {
        #expect(try PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == "a b+")
        #expect(try PercentEncoding.decode("a+b%2B".utf8) == "a+b+")
    }

    @Test func `every character round-trips in segments and queries`() throws {
        let text =
            String(String.UnicodeScalarView((1...0x7F).compactMap(Unicode.Scalar.init)))
            + "é글😀"
        let segment = PercentEncoding.encodeSegment(text)
        let query = PercentEncoding.encodeQuery(text)
        #expect(try PercentEncoding.decode(segment.utf8) == text)
        #expect(try PercentEncoding.decode(query.utf8, plusIsSpace: true) == text)
        for octet in segment.utf8 {
            #expect(octet > 0x20 && octet < 0x7F && !"/?#[]\"<>\\^`{|}".utf8.contains(octet))
        }
        for octet in query.utf8 {
            #expect(octet > 0x20 && octet < 0x7F && !"&=+#[]\"<>\\^`{|}".utf8.contains(octet))
        }
    }

    @Test func `text is encoded according to RFC 3986`() {
        #expect(PercentEncoding.encodeSegment("a/b c+글.~") == "a%2Fb%20c+%EA%B8%80.~")
        #expect(PercentEncoding.encodeQuery("a/b c+&=") == "a/b%20c%2B%26%3D")
    }
}
