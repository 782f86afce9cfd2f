import BroadsheetMarkup
import Testing

@Suite struct XMLReaderTests {
    @Test func `elements, attributes and text come in the order of the document`() throws {
        let events = try XMLReader.events(
            of: #"<?xml version="1.0"?><!-- a --><a x="1&amp;2&#38;#38;"><?p i?>b<c/>d"#
                + "<![CDATA[<e>]]></a>")
        #expect(
            events == [
                .start(XMLElement(XMLName("a"), [XMLAttribute(XMLName("x"), "1&2&#38;")])),
                .text("b"), .start(XMLElement(XMLName("c"))), .end(XMLName("c")),
                .text("d<e>"), .end(XMLName("a")),
            ])
    }

    @Test func `names are expanded by the namespaces in scope`() throws {
        let events = try XMLReader.events(
            of: """
                <a xmlns="urn:one" xmlns:p="urn:two" p:x="1" x="2"><p:b/><c xmlns=""/></a>
                """)
        guard case .start(let first) = events.first else {
            Issue.record("no start")
            return
        }
        #expect(first.name == XMLName("a", in: "urn:one"))
        #expect(first["x"] == "2")
        #expect(first["x", in: "urn:two"] == "1")
        #expect(events.contains(.start(XMLElement(XMLName("b", in: "urn:two")))))
        #expect(events.contains(.start(XMLElement(XMLName("c")))))
    }

    @Test func `a prefix that is not declared stays part of the name`() throws {
        let events = try XMLReader.events(of: #"<a><media:title media:x="1">b</media:title></a>"#)
        let attribute = XMLAttribute(XMLName("media:x"), "1")
        #expect(events.contains(.start(XMLElement(XMLName("media:title"), [attribute]))))
    }

    @Test func `language and base are those of the closest element that has them`() throws {
        let events = try XMLReader.events(
            of: """
                <a xml:lang="en" xml:base="https://example.org/a/"><b xml:base="b/" xml:lang="de">\
                <c xml:lang=""/></b><d/></a>
                """)
        let elements = events.compactMap { event -> XMLElement? in
            if case .start(let element) = event { element } else { nil }
        }
        #expect(elements.map(\.language) == ["en", "de", nil, "en"])
        #expect(
            elements.map(\.base) == [
                "https://example.org/a/", "https://example.org/a/b/", "https://example.org/a/b/",
                "https://example.org/a/",
            ])
    }

    @Test func `the pieces in which a document arrives make no difference`() throws {
        let document = """
            \u{FEFF}<?xml version="1.0" encoding="utf-8"?>\r
            <!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://localhost:1/rss-0.91.dtd">
            <rss a='x > y "' b="]]>"><!-- c > -- d --><t>é&eacute;&#x1F600;\r\n<![CDATA[]]]]>\r
            </t><t><![CDATA[a]]b\r\n\r>c]]>]]</t><t/>\r\n</rss>\r\n
            """.replacing(" -- d", with: "")
        let bytes = Array(document.utf8)
        let whole = try XMLReader.events(of: bytes)
        #expect(whole.count > 9)
        for size in 1...40 {
            var rest = bytes[...]
            let reader = XMLReader { () throws(XMLSourceError) in
                defer { rest = rest.dropFirst(size) }
                return Array(rest.prefix(size))
            }
            #expect(try reader.events() == whole, "\(size)")
        }
        #expect(whole.contains(.text("éé😀\n]]\n")))
        #expect(whole.contains(.text("a]]b\n\n>c]]")))
    }

    @Test func `texts of any length are read in pieces`() throws {
        for body in ["abcdéfg ", "<p>hi</p>\r\n", "é", "]]", "&amp;"] {
            for isSection in [false, true] where isSection || !body.contains("<") {
                let count = 600_000 / body.utf8.count
                var sent = 0
                let reader = XMLReader(limits: XMLLimits(documentBytes: nil)) {
                    () throws(XMLSourceError) in
                    defer { sent += 1 }
                    switch sent {
                    case 0: return Array((isSection ? "<a><![CDATA[" : "<a>").utf8)
                    case 1...100:
                        let part = Array(repeating: body, count: count / 100)
                        return Array(part.joined().utf8)
                    case 101: return Array((isSection ? "]]></a>" : "</a>").utf8)
                    default: return []
                    }
                }
                var length = 0
                var pieces = 0
                while let event = try reader.next() {
                    guard case .text(let text) = event else { continue }
                    length += text.utf8.count
                    pieces += 1
                    #expect(text.utf8.count < 70 << 10)
                }
                let each =
                    isSection
                    ? body.replacing("\r\n", with: "\n")
                    : body
                        .replacing("&amp;", with: "&")
                #expect(length == each.utf8.count * (count / 100) * 100, "\(body)")
                #expect(pieces > length / (128 << 10))
            }
        }
    }

    @Test(arguments: [
        ("<a", "line 1: it is not well-formed XML: "), ("<a>", "line 1: it is not well-formed"),
        ("", "line 1: it is not well-formed XML: "), ("a", "line 1: it is not well-formed"),
        ("\n<?xml version=\"1.0\"?>\n<a></b>", "line 3: it is not well-formed XML: Opening and"),
        ("<a>\n<b>\n</a>", "line 3: it is not well-formed XML: Opening and ending tag mismatch"),
        ("<?xml version=\"1.0\" encoding=\"klingon\"?>\n<a/>", "the encoding \"klingon\" is not"),
    ])
    func `a faulty document is rejected with line and reason`(
        document: String, message: String
    ) {
        let error = #expect(throws: XMLError.self) { try XMLReader.events(of: document) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func `a document in another encoding than it says is not cut off but rejected`() {
        let word: [UInt8] = [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE, 0xB7, 0xCE]
        let words = Array([[UInt8]](repeating: word + [0x20], count: 100).joined())
        let bytes = Array("<?xml version=\"1.0\"?>\n<a>".utf8) + words + Array("</a>".utf8)
        let error = #expect(throws: XMLError.self) { try XMLReader.events(of: bytes) }
        #expect(
            error?.description == "line 2: it contains bytes that are not text in its encoding")
    }

    @Test func `an error is thrown each time, and what was read before it is kept`() throws {
        let reader = XMLReader(Array("<a><b/></c>".utf8))
        #expect(try reader.next() == .start(XMLElement(XMLName("a"))))
        #expect(try reader.next() == .start(XMLElement(XMLName("b"))))
        #expect(try reader.next() == .end(XMLName("b")))
        for _ in 0..<3 { #expect(throws: XMLError.self) { try reader.next() } }
    }

    @Test func `entities never expand, and nothing is loaded`() throws {
        let bomb = """
            <!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
            <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">
            <!ENTITY % e SYSTEM "http://localhost:1/e.dtd"> %e;
            ]><a b="&c;">&c;&d;</a>
            """
        // A parameter entity of an external subset would declare others.
        let outside = """
            <!DOCTYPE a SYSTEM "file:///etc/passwd"><a b="&c;">&c;&d;</a>
            """
        for document in [bomb, outside] {
            #expect(
                try XMLReader.events(of: document) == [
                    .start(XMLElement(XMLName("a"), [XMLAttribute(XMLName("b"), "&c;")])),
                    .text("&c;&d;"), .end(XMLName("a")),
                ])
        }
    }

    @Test func `limits of depth, names, attributes, tags and size hold`() throws {
        let deep = String(repeating: "<a>", count: 100)
        let closing = String(repeating: "</a>", count: 100)
        #expect(try XMLReader.events(of: deep + closing).count == 200)
        func reason(_ document: String) -> XMLError.Reason? {
            #expect(throws: XMLError.self) { try XMLReader.events(of: document) }?.reason
        }
        #expect(reason("<b>" + deep) == .tooDeep(limit: 100))
        let name = String(repeating: "n", count: 1_001)
        #expect(reason("<\(name)/>") == .nameTooLong(limitBytes: 1_000))
        #expect(reason("<a \(name)=''/>") == .nameTooLong(limitBytes: 1_000))
        #expect(reason("<a xmlns='\(name)'/>") == .nameTooLong(limitBytes: 1_000))
        let many = (0...200).map { "a\($0)=''" }.joined(separator: " ")
        #expect(reason("<a \(many)/>") == .tooManyAttributes(limit: 200))
        let long = String(repeating: "x", count: 270_000)
        #expect(reason("<a b='\(long)'/>") == .tagTooLong(limitBytes: 256 << 10))
        #expect(reason("<a><!-- \(long) --></a>") == .tagTooLong(limitBytes: 256 << 10))
        var limits = XMLLimits()
        limits.documentBytes = 7
        #expect(try XMLReader(Array("<a></a>".utf8), limits: limits).events().count == 2)
        let error = #expect(throws: XMLError.self) {
            try XMLReader(Array("<a> </a>".utf8), limits: limits).events()
        }
        #expect(error?.reason == .documentTooLarge(limitBytes: 7))
    }

    @Test func `a failing source is reported`() {
        let reader = XMLReader { () throws(XMLSourceError) in throw XMLSourceError("disk broken") }
        let error = #expect(throws: XMLError.self) { try reader.next() }
        #expect(error?.phrase == "disk broken")
    }

    @Test func `the content of an element can be read as text, as markup, or skipped`() throws {
        let reader = XMLReader(
            Array(
                """
                <f xmlns:x="urn:x"><t>a<b>b</b></t><x:m>\
                <x:p c="&quot;&lt;" x:d="e">&lt;<x:br/></x:p></x:m>\
                <s><u/>v</s><l>1234567</l><z/></f>
                """.utf8))
        _ = try reader.next()
        _ = try reader.next()
        #expect(try reader.text(limitBytes: 100) == "ab")
        _ = try reader.next()
        #expect(
            try reader.markup(limitBytes: 100)
                == "<p c=\"&quot;&lt;\" d=\"e\">&lt;<br></p>")
        _ = try reader.next()
        try reader.skip()
        _ = try reader.next()
        #expect(try reader.text(limitBytes: 6) == nil)
        #expect(try reader.next() == .start(XMLElement(XMLName("z"))))
    }

    @Test func `readers work on many threads at once`() async throws {
        let document = "<a>" + String(repeating: "<b c='d'>e</b>", count: 1_000) + "</a>"
        let expected = try XMLReader.events(of: document)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask { #expect((try? XMLReader.events(of: document)) == expected) }
                group.addTask { #expect(throws: XMLError.self) { try XMLReader.events(of: "<") } }
            }
        }
    }
}

extension XMLReader {
    func events() throws(XMLError) -> [XMLEvent] {
        var events: [XMLEvent] = []
        while let event = try next() { events.append(event) }
        return events
    }

    static func events(of document: String) throws(XMLError) -> [XMLEvent] {
        try events(of: Array(document.utf8))
    }

    static func events(of bytes: [UInt8]) throws(XMLError) -> [XMLEvent] {
        try XMLReader(bytes).events()
    }
}
