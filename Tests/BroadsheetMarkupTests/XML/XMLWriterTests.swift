import BroadsheetMarkup
import Testing

@Suite struct XMLWriterTests {
    @Test func `a document has a declaration, and its elements are ended`() throws {
        var writer = XMLWriter()
        writer.start("a", [("x", "1 < \"2\" & '3'\n")])
        writer.element("b", "<&>\"' ]]> \r 한👩")
        writer.empty("c", [])
        writer.start("d")
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        let begin =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<a x=\"1 &lt; &quot;2&quot; &amp; '3'&#10;\">"
        #expect(text.hasPrefix(begin), "\(text)")
        #expect(text.hasSuffix("<c/><d/></a>\n"), "\(text)")
        let reader = XMLReader(Array(text.utf8))
        var read = ""
        while let event = try reader.next() {
            if case .text(let text) = event { read += text }
        }
        #expect(read == "<&>\"' ]]> \r 한👩")
    }

    @Test func `characters that XML forbids are left out everywhere`() throws {
        var writer = XMLWriter(isDocument: false)
        writer.element("a", "x\u{0}\u{1}\u{FFFE}y", [("b", "x\u{1F}\u{FFFF}y")])
        #expect(String(decoding: try writer.finish(), as: UTF8.self) == #"<a b="xy">xy</a>"#)
    }

    @Test func `a part has no declaration, and end tags where they are wanted`() throws {
        var writer = XMLWriter(isDocument: false)
        writer.start("p")
        writer.end(isExplicit: true)
        #expect(String(decoding: try writer.finish(), as: UTF8.self) == "<p></p>")
    }

    @Test func `what libxml2 rejects is an error`() {
        let error = #expect(throws: XMLWriterError.self) {
            var writer = XMLWriter(isDocument: false)
            writer.element("a", "x")
            writer.end()
            _ = try writer.finish()
        }
        #expect(error?.description.contains("libxml2") == true)
    }
}
