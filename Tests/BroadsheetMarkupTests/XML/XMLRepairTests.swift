import BroadsheetMarkup
import BroadsheetTestSupport
import CBroadsheetXML
import Foundation
import Testing

@Suite struct XMLRepairTests {
    static func repaired(_ bytes: [UInt8], label: String? = nil) -> ([UInt8], XMLRepairs) {
        var repair = XMLRepair(label: label)
        let start = repair.take(bytes)
        let document = start + repair.finish()
        return (document, repair.repairs)
    }

    private static func repaired(_ text: String) -> String {
        String(decoding: repaired(Array(text.utf8)).0, as: UTF8.self)
    }

    // MARK: What is repaired

    @Test(arguments: [
        ("<a>R&D & b</a>", "<a>R&amp;D &amp; b</a>"), ("<a>&</a>", "<a>&amp;</a>"),
        ("<a>&;&#;&#x;&#xZ;&1;</a>", "<a>&amp;;&amp;#;&amp;#x;&amp;#xZ;&amp;1;</a>"),
        ("<a>?a=1&b=2&copy=3</a>", "<a>?a=1&amp;b=2&amp;copy=3</a>"),
        ("<a>&eacute;&nbsp;&hearts;&amp;</a>", "<a>é\u{A0}♥&amp;</a>"),
        ("<a>&Unknown;</a>", "<a>&amp;Unknown;</a>"),
        ("<a b='&euro; & &lt;'/>", "<a b='€ &amp; &lt;'/>"),
        ("<a><![CDATA[&eacute; & <]]><!-- &eacute; & --></a>", ""),
        ("<a>1 < 2 <3 <</a>", "<a>1 &lt; 2 &lt;3 &lt;</a>"),
        ("<a>Jane <jane@example.org></a>", "<a>Jane &lt;jane@example.org></a>"),
        ("<a>a <b and c <d/></a>", "<a>a &lt;b and c <d/></a>"),
        ("<a>x]]>y</a>", "<a>x]]&gt;y</a>"), ("<a>]]<b/>></a>", ""),
        ("<a><![CDATA[x]]>]]>y</a>", "<a><![CDATA[x]]>]]&gt;y</a>"),
        ("<a><!-- b -- c ---></a>", "<a><!-- b - - c - --></a>"),
        ("<a><!DOCTYPE b><![if x]></a>", "<a>&lt;!DOCTYPE b>&lt;![if x]></a>"),
        ("<a>x<? y</a>", "<a>x&lt;? y</a>"), ("<a></a b='c'>", "<a></a>"),
    ])
    func `what only looks like markup is text`(document: String, repaired: String) {
        #expect(Self.repaired(document) == (repaired.isEmpty ? document : repaired))
    }

    @Test(arguments: [
        ("<a>b\u{0}\u{1F}\u{FFFE}c</a>", "<a>bc</a>"), ("<a>&#0;&#x11;&#xFFFF;b</a>", "<a>b</a>"),
        ("<a>&#xD83D;&#xDE00;&#55357;&#56832;</a>", "<a>😀😀</a>"),
        ("<a>&#xD83D;x&#xDE00;&#x110000;&#99999999999;</a>", "<a>x</a>"),
        ("<a b='&#1;\u{2}c'/>", "<a b='c'/>"),
        ("<a><![CDATA[\u{3}b]]></a>", "<a><![CDATA[b]]></a>"),
    ])
    func `characters that XML does not allow are left out`(document: String, repaired: String) {
        #expect(Self.repaired(document) == repaired)
    }

    @Test(
        arguments: [
            ([0x63, 0x61, 0x66, 0xE9], "café"), ([0x93, 0xFC, 0x94, 0x80], "“ü”€"),
            ([0x81], "\u{FFFD}"), ([0xC3, 0xA9, 0xC3], "éÃ"),
            ([0xF0, 0x9F, 0x98, 0x80, 0xBF], "😀¿"),
            ([0xC0, 0x80], "À€"), ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], "😀"),
            ([0xED, 0xA0, 0xBD, 0x20, 0xED, 0xB8, 0x80], " "), ([0xEF, 0xBF, 0xBF], ""),
        ] as [([UInt8], String)])
    func `bytes that are not UTF-8 are read as windows-1252`(bytes: [UInt8], text: String) {
        let document = Array("<a>".utf8) + bytes + Array("</a>".utf8)
        #expect(Self.repaired(document).0 == Array("<a>\(text)</a>".utf8))
    }

    @Test(arguments: [
        ("<a b=c d='e'f=\"g\" h/>", "<a b=\"c\" d='e' f=\"g\" h=\"h\"/>"),
        ("<a b='1' b='2'\n c = '3'></a>", "<a b='1' \n c = '3'></a>"),
        ("<a href=/x?a=1&b=\"2\"></a>", "<a href=\"/x?a=1&amp;b=&quot;2&quot;\"></a>"),
        ("<a b=\"<c>\" 1d='2' =x/>", "<a b=\"&lt;c>\"   x=\"x\"/>"),
        ("<a b=c/>", "<a b=\"c\"/>"), ("<a b='x > y' c=\"it's\"/>", ""),
    ])
    func `attributes may be written as in HTML`(document: String, repaired: String) {
        #expect(Self.repaired(document) == (repaired.isEmpty ? document : repaired))
    }

    @Test(arguments: [
        "\n \n<?xml version=\"1.0\"?><rss><b/></rss>",
        "Warning: x in /y.php on line 3\n<?xml version=\"1.0\"?><rss><b/></rss>",
        "<br />\n<b>Notice</b>: Undefined & x in <b>/y.php</b> on line <b>3</b><br />\n"
            + "<?xml version=\"1.0\"?><rss><b/></rss>",
        "<!-- cleaned --><?xml version=\"1.0\"?><rss><b/></rss>",
        "\u{FEFF}\n\u{FEFF}<?xml version=\"1.0\"?><rss><b/></rss>",
        "<?xml version=\"1.0\"?><rss><b/></rss><script>if (a < b && c) {}</script> &amp; <![CDATA[",
        "<?xml version=\"1.0\"?><rss><b/></rss></rss></channel>text",
        "<?xml version=\"1.0\"?><rss><b/></rss>\u{0}",
        "<?xml version=\"1.0\"?><rss><b/>", "<?xml version=\"1.0\"?><rss><b/></rs",
        "<?xml version=\"1.0\"?><rss><b/></rss\n",
    ])
    func `what is before and after the document is left out`(document: String) {
        let expected = "<?xml version=\"1.0\"?><rss><b/></rss>"
        #expect(Self.repaired(document).hasPrefix(expected), "\(Self.repaired(document))")
        #expect((try? XMLReader.events(of: document)) == (try? XMLReader.events(of: expected)))
    }

    @Test func `a message before a document without a declaration is left out, too`() {
        let message = "<br /><b>Warning</b>: x on line <b>3</b><br />\n"
        #expect(Self.repaired(message + "<rss><b/></rss>") == "<rss><b/></rss>")
    }

    @Test(arguments: [
        ("<?xml version='1.1'?>", false), ("<?xml encoding='utf-8'?>", false),
        ("<?xml version=\"1.0\" encoding=\"\"?>", false), ("<?xml version=1.0?>", false),
        ("<?xml version='1.0'\n standalone='maybe'?>", false),
        ("<?xml version='1.0' encoding='utf-8' standalone = \"yes\" ?>", true),
    ])
    func `a declaration becomes right`(declaration: String, isRight: Bool) throws {
        let document = declaration + "<a/>"
        #expect((Self.repaired(document) == document) == isRight)
        #expect(try XMLReader.events(of: document).count == 2)
    }

    @Test func `the declarations of a DOCTYPE are left out, and their entities stay text`() throws {
        let document = """
            <!DOCTYPE rss PUBLIC "-//x//" "http://localhost:1/x?]>" [ <!-- ]> "' -->
            <!ENTITY name "EVIL"><!ENTITY  eacute 'EVIL ]>'>
            <?x ]> ?><!ELEMENT rss (#PCDATA)> %y;
            ]>
            <rss>&name;&eacute;&egrave;</rss>
            """
        #expect(
            Self.repaired(document) == """
                <!DOCTYPE rss PUBLIC "-//x//" "http://localhost:1/x?]>" \n\n\n>
                <rss>&amp;name;&amp;eacute;è</rss>
                """)
        let reader = XMLReader(Array(document.utf8))
        #expect(try reader.events().contains(.text("&name;&eacute;è")))
        #expect(reader.line == 5)
    }

    // MARK: Counts and limits

    @Test func `repairs are counted with their lines`() {
        let document = "<?xml version=\"1.0\"?>\n<a>\n& &\u{1}\n&nbsp;</a>\n<b>"
        let repairs = Self.repaired(Array(document.utf8)).1
        #expect(repairs.list.map(\.line) == [3, 3, 4, 5] && repairs.count == 5)
        #expect(
            repairs.list.map(\.kind) == [.character, .ampersand, .namedCharacter, .outside])
        #expect(repairs.list.map(\.phrase).contains("a bare & was read as text (2)"))
    }

    @Test(arguments: ["&", "<", "\u{1}", "&#1;", "a=b "])
    func `a thousand repairs are accepted, and one in a hundred bytes`(fault: String) {
        func document(_ count: Int, _ gap: Int) -> [UInt8] {
            let space = String(repeating: " ", count: gap)
            let isAttribute = fault.contains("=")
            let faults = (0..<count).map { number in
                isAttribute ? "<b c\(number)=d />\(space)" : fault + " " + space
            }
            return Array("<a>\(faults.joined())</a>".utf8)
        }
        func error(_ bytes: [UInt8]) -> XMLError.Reason? {
            do throws(XMLError) { _ = try XMLReader.events(of: bytes) } catch {
                return error.reason
            }
            return nil
        }
        #expect(error(document(1_000, 0)) == nil)
        #expect(error(document(1_100, 0)) == .tooManyRepairs(limit: 1_000))
        #expect(error(document(3_000, 110)) == nil)
    }

    @Test func `any number of HTML's characters is accepted`() throws {
        let words = String(repeating: "&eacute;", count: 20_000)
        #expect(try XMLReader.events(of: "<a>\(words)</a>").count > 2)
    }

    // MARK: Laws

    /// Returns true if libxml2 finds the document well-formed without a repair, and a repair keeps
    /// its bytes. Declarations and references to other entities than those of XML are not kept.
    private static func isUnchanged(_ bytes: [UInt8], _ comment: String) -> Bool {
        let options = Int32(
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue)
        let tree = bytes.withUnsafeBytes { bytes in
            xmlReadMemory(
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil,
                "UTF-8", options)
        }
        xmlFreeDoc(tree)
        let text = String(decoding: bytes, as: UTF8.self)
        guard tree != nil, Array(text.utf8) == bytes, !text.contains("<!DOCTYPE") else {
            return false
        }
        let (repaired, repairs) = repaired(bytes, label: "utf-8")
        #expect(repaired == bytes && repairs.count == 0, Comment(rawValue: comment))
        return true
    }

    @Test(arguments: [
        "<a/>", "\u{FEFF}<a/>", "<a>\r\n&#x9;&#xD;&lt;&amp;</a>\r\n<!-- b -->\n<?c d?>\n",
        "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE a SYSTEM \"b>\"><a b = '\"' c=\"'>\"/>",
        "<é:a xmlns:é='u'>é\u{85}\u{2028}\u{FFFD}</é:a >", "<a>&#000065;&#x1F600;]] ]></a>",
        "<br/>", "<html><p>x</p><!-- <?xml version='1.0'?> --></html>",
        "<b><![CDATA[<?xml version='1.0'?><rss>]]></b>", "<a><?xml-stylesheet x?>?></a>",
    ])
    func `a well-formed document is not changed`(document: String) {
        let document = document.replacing("]] ]>", with: "]] >")
        let (repaired, repairs) = Self.repaired(Array(document.utf8))
        let text = document.unicodeScalars.drop { $0 == "\u{FEFF}" }
        #expect(String(decoding: repaired, as: UTF8.self) == String(text))
        #expect(repairs.count == 0)
    }

    @Test func `the fixtures that libxml2 finds well-formed are not changed`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var count = 0
        let files = FileManager.default.enumerator(atPath: folder.path)
        while let path = files?.nextObject() as? String {
            let parts = path.split(separator: "/")
            guard path.hasSuffix(".xml") || path.hasSuffix(".rng") || parts.contains("Corpus"),
                let data = try? Data(contentsOf: folder.appending(path: path))
            else { continue }
            count += Self.isUnchanged([UInt8](data), path) ? 1 : 0
        }
        #expect(count >= 5)
    }

    @Test(arguments: 0..<4)
    func `generated documents are not changed, and broken ones are repaired once`(seed: Int) {
        var generator = GeneratedXML(seed: UInt64(seed))
        for _ in 0..<200 {
            let document = generator.document()
            #expect(Self.isUnchanged(document, String(decoding: document, as: UTF8.self)))
            let broken = generator.broken(document)
            _ = Self.isUnchanged(broken, String(decoding: broken, as: UTF8.self))
            let once = Self.repaired(broken, label: "utf-8").0
            let twice = Self.repaired(once, label: "utf-8").0
            #expect(once == twice, "\(String(decoding: broken, as: UTF8.self))")
        }
    }

    @Test(arguments: [
        ("<a>", "x & y < z ]]> \u{1} &nbsp; ", "</a>"), ("<a>", "&", ""),
        ("<a><![CDATA[", "]] ", ""),
        ("<a><!--", "-- ", ""), ("<a>", "<b ", ""), ("<a b='", "<c d=\"", ""), ("<a ", "b=c ", ">"),
        ("<!DOCTYPE a [", "<!ENTITY b 'c'>", "]><a/>"), ("", "<br>", ""), ("<a/>", "<b c='d'>", ""),
        ("<a>", "<b></b>\n", "</a>"), ("<a>", "&#xD83D;", "</a>"), ("", "<?xml ?>", "<a/>"),
        ("<a>", "<![CDATA[", "</a>"), ("<a>", "&aaaaaaaa", "</a>"),
    ])
    func `the cost is linear in the length`(start: String, part: String, end: String) {
        func bytes(_ count: Int) -> [UInt8] {
            Array((start + String(repeating: part, count: count / part.utf8.count) + end).utf8)
        }
        // Sixteen times the bytes; on a busy machine a doubling takes up to 2.5 times.
        let growth = growth(from: bytes(20_000), to: bytes(320_000), below: 40) { bytes in
            var repair = XMLRepair()
            var rest = bytes[...]
            while !rest.isEmpty {
                _ = repair.take(Array(rest.prefix(4_096)))
                rest = rest.dropFirst(4_096)
            }
            _ = repair.finish()
        }
        #expect(growth < 40)
    }
}
