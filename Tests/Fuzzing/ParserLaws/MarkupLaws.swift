import BroadsheetMarkup

/// Untrusted XML and HTML.
enum MarkupLaws {
    /// The first byte decides in which pieces the document arrives.
    static func xml(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let document = Array(input.dropFirst())
        var pieces = input.piecesBehindFirst[...]
        let whole = events(XMLReader(document), &laws)
        let parts = events(
            XMLReader { () throws(XMLSourceError) in pieces.popFirst().map(Array.init) ?? [] },
            &laws)
        laws.expect(whole == parts, "the pieces in which a document arrives make no difference")
        return laws.broken
    }

    private static func events(_ reader: XMLReader, _ laws: inout ViolationCollector) -> [String] {
        var events: [String] = []
        var open: [XMLName] = []
        do throws(XMLError) {
            while let event = try reader.next() {
                events.append("\(event)")
                switch event {
                case .start(let element): open.append(element.name)
                case .text(let text): laws.expect(!text.isEmpty, "a text is not empty")
                case .end(let name): laws.expect(open.popLast() == name, "elements nest")
                }
            }
            laws.expect(open.isEmpty && !events.isEmpty, "a document is one element")
        } catch {
            events.append("\(error)")
            laws.expect(error.line >= 1, "an error has a line")
            laws.expect((try? reader.next()) == nil, "after an error, there are no events")
        }
        return events
    }

    static func html(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let html = String(decoding: input, as: UTF8.self)
        for base in [nil, "https://example.org/a/"] {
            let converter = MarkdownFromHTML(base: base)
            guard let result = try? converter.convert(html) else { continue }
            laws.expect((try? converter.convert(html)) == result, "HTML is read alike twice")
            laws.expect(!result.markdown.hasSuffix("\n"), "there is no line feed at the end")
            laws.expect(result.leftOut.allSatisfy { $0.count > 0 }, "what is left out is counted")
        }
        return laws.broken
    }
}
