import Foundation
import Markup
import Testing

@Suite struct XMLEncodingTests {
    private static func text(_ bytes: [UInt8], as encoding: String? = nil) throws -> String? {
        let reader = XMLReader(bytes, encoding: encoding)
        var text: String?
        while let event = try reader.next() {
            if case .text(let found) = event { text = found }
        }
        return text
    }

    private static func document(
        _ text: String, declaring name: String?, in encoding: String.Encoding
    ) throws -> [UInt8] {
        let declaration = name.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
        return [UInt8](try #require("\(declaration)<a>\(text)</a>".data(using: encoding)))
    }

    @Test(arguments: [
        ("ISO-8859-1", String.Encoding.isoLatin1, "Größe"),
        ("windows-1252", .windowsCP1252, "“Größe” €"),
        ("UTF-8", .utf8, "Größe 日本語 😀"), ("utf-16", .utf16, "Größe 日本語 😀"),
    ])
    func `a declared encoding is used`(name: String, encoding: String.Encoding, text: String) throws
    {
        let long = String(repeating: text, count: 2_000)
        let bytes = try Self.document(long, declaring: name, in: encoding)
        #expect(try Self.text(bytes) == long)
    }

    @Test(
        arguments: [
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], "日本語"),
            ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "日本語"),
            ("EUC-KR", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE], "한국어"),
        ] as [(String, [UInt8], String)])
    func `encodings of several bytes are decoded across parts`(
        name: String, word: [UInt8], text: String
    ) throws {
        let words = Array([[UInt8]](repeating: word, count: 2_000).joined())
        let start = "<?xml version=\"1.0\" encoding=\"\(name)\"?><a>"
        #expect(
            try Self.text(Array(start.utf8) + words + Array("</a>".utf8))
                == String(repeating: text, count: 2_000))
    }

    @Test(arguments: [String.Encoding.utf16BigEndian, .utf16LittleEndian])
    func `UTF-16 is recognized with and without a byte order mark`(
        encoding: String.Encoding
    ) throws {
        let document = try Self.document("Größe", declaring: "UTF-16", in: encoding)
        #expect(try Self.text(document) == "Größe")
        let mark: [UInt8] = encoding == .utf16BigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
        #expect(try Self.text(mark + document) == "Größe")
        let plain = try Self.document("Größe", declaring: nil, in: encoding)
        #expect(try Self.text(mark + plain) == "Größe")
    }

    @Test func `the encoding of the media type overrides the declaration, and a mark both`() throws
    {
        let latin = try Self.document("Größe", declaring: "UTF-8", in: .isoLatin1)
        #expect(throws: XMLError.self) { try Self.text(latin) }
        #expect(try Self.text(latin, as: "iso-8859-1") == "Größe")
        let utf8 = try Self.document("Größe", declaring: "ISO-8859-1", in: .utf8)
        #expect(try Self.text(utf8, as: "utf-8") == "Größe")
        #expect(try Self.text([0xEF, 0xBB, 0xBF] + utf8, as: "iso-8859-1") == "Größe")
    }

    @Test func `what is not text in the encoding is rejected`() throws {
        let latin = try Self.document("Größe", declaring: nil, in: .isoLatin1)
        let error = #expect(throws: XMLError.self) { try Self.text(latin) }
        #expect(error?.phrase == "it contains bytes that are not text in its encoding")
        let unknown = #expect(throws: XMLError.self) { try Self.text(latin, as: "klingon") }
        #expect(unknown?.reason == .unknownEncoding("klingon"))
        let labelled = try Self.document("a", declaring: "UTF-16", in: .utf8)
        #expect(throws: XMLError.self) { try Self.text(labelled) }
    }
}
