import BroadsheetMarkup
import Foundation
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
        #expect(try Self.text(latin, as: "iso-8859-1") == "Größe")
        let utf8 = try Self.document("Größe", declaring: "ISO-8859-1", in: .utf8)
        #expect(try Self.text(utf8, as: "utf-8") == "Größe")
        #expect(try Self.text([0xEF, 0xBB, 0xBF] + utf8, as: "iso-8859-1") == "Größe")
    }

    @Test(
        arguments: [
            ("euc-kr", [0x8C, 0x63, 0xB9, 0xE6, 0xB0, 0xA2], "똠방각"),
            ("KS_C_5601-1987", [0xC1, 0x64], "햏"),
            ("gb2312", [0xE9, 0x46], "镕"), ("gbk", [0xD6, 0xD0], "中"),
            ("x-gbk", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
            ("shift_jis", [0x87, 0x40, 0xFB, 0xFC], "①髙"), ("x-sjis", [0x81, 0x60], "～"),
            ("euc-jp", [0xAD, 0xA1], "①"), ("big5", [0x9D, 0xEF], "嘅"),
            ("iso-8859-1", [0x80, 0x93, 0xE9], "€“é"), ("US-ASCII", [0x92, 0xE9], "’é"),
            (" latin1 ", [0x85], "…"), ("iso-8859-9", [0x80, 0xF0], "€ğ"),
            ("tis-620", [0x80, 0xA1], "€ก"), ("iso-8859-11", [0x85], "…"),
            ("utf8", [0xED, 0x95, 0x9C], "한"), ("unicode-1-1-utf-8", [0xC3, 0xA9], "é"),
            ("koi8-r", [0xC4, 0xC1], "да"), ("x-mac-cyrillic", [0xE4, 0xE0], "да"),
            ("iso-8859-8-i", [0xE0], "א"), ("logical", [0xE0], "א"), ("mac", [0x8E], "é"),
            ("866", [0xA4], "д"), ("cp949", [0x8C, 0x63], "똠"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
        ] as [(String, [UInt8], String)])
    func `labels name the encodings that browsers read`(
        label: String, bytes: [UInt8], text: String
    ) throws {
        let content = Array("<a>".utf8) + bytes + Array("</a>".utf8)
        #expect(try Self.text(content, as: label) == text)
        let declaration = "<?xml version=\"1.0\" encoding=\"\(label)\"?>"
        #expect(try Self.text(Array(declaration.utf8) + content) == text)
    }

    @Test func `a label of UTF-16 that can be read in bytes is wrong`() throws {
        let document = try Self.document("Größe", declaring: "UTF-16", in: .utf8)
        #expect(try Self.text(document) == "Größe")
        #expect(try Self.text(document, as: "utf-16") == "Größe")
    }

    @Test(arguments: [String.Encoding.utf32BigEndian, .utf32LittleEndian])
    func `UTF-32 is recognized`(encoding: String.Encoding) throws {
        let document = try Self.document("Größe", declaring: "UTF-32", in: encoding)
        #expect(try Self.text(document) == "Größe")
        let mark: [UInt8] = encoding == .utf32BigEndian ? [0, 0, 0xFE, 0xFF] : [0xFF, 0xFE, 0, 0]
        #expect(try Self.text(mark + document) == "Größe")
    }

    @Test func `what is not text in the encoding is replaced, and counted`() throws {
        for (label, bytes) in [
            ("euc-kr", [0xC7, 0xD1, 0xFF, 0x20]), ("shift_jis", [0x93, 0xFA, 0xFD, 0x20]),
            ("windows-1252", [0x81, 0x20]),
        ] as [(String, [UInt8])] {
            let content = Array("<a>".utf8) + bytes + Array("</a>".utf8)
            let reader = XMLReader(content, encoding: label)
            let texts = try reader.events().compactMap { event in
                if case .text(let text) = event { text } else { nil }
            }
            #expect(texts.joined().hasSuffix("\u{FFFD} "))
            #expect(reader.repairs.list.map(\.kind) == [.undecodable])
        }
    }

    @Test func `a label that nobody knows is an error, and ignored in a media type`() throws {
        let document = try Self.document("Größe", declaring: "ISO-8859-1", in: .isoLatin1)
        #expect(try Self.text(document, as: "klingon") == "Größe")
        let unknown = try Self.document("a", declaring: "klingon", in: .utf8)
        let error = #expect(throws: XMLError.self) { try Self.text(unknown) }
        #expect(error?.reason == .unknownEncoding("klingon"))
        #expect(try Self.text(unknown, as: "utf-8") == "a")
    }
}
