import BroadsheetHTTP

/// The content of an element, whose start was the last event.
extension XMLReader {
    /// Reads up to the end of the element.
    package func skip() throws(XMLError) { try readContent { _ in } }

    /// The characters in the element and in those inside of it, up to the end of the element.
    ///
    /// - Returns: `nil` if there are more than `limitBytes` of UTF-8. They are skipped.
    package func text(limitBytes: Int) throws(XMLError) -> String? {
        var elements = 0
        return try text(limitBytes: limitBytes, elements: &elements)
    }

    /// The same; counts the elements inside, whose tags are not part of the text.
    package func text(limitBytes: Int, elements: inout Int) throws(XMLError) -> String? {
        var content = BoundedText(limitBytes)
        try readContent { event in
            switch event {
            case .start: elements += 1
            case .text(let text): content.append(text)
            case .end: break
            }
        }
        return content.text
    }

    /// Returns the markup inside of the element as HTML, without prefixes and namespaces, up to the
    /// end of the element: in Atom, content of type `xhtml` (RFC 4287 §3.1.1.3).
    ///
    /// - Returns: `nil` if there are more than `limitBytes` of UTF-8. They are skipped.
    package func markup(limitBytes: Int) throws(XMLError) -> String? {
        var content = BoundedText(limitBytes)
        try readContent { event in
            switch event {
            case .start(let element):
                let attributes = element.attributes.map { attribute in
                    " \(attribute.name.local)=\"\(attribute.value.htmlEscaped)\""
                }
                content.append("<\(element.name.local)\(attributes.joined())>")
            case .text(let text): content.append(text.htmlEscaped)
            case .end(let name):
                if !Self.voidElements.contains(name.local) { content.append("</\(name.local)>") }
            }
        }
        return content.text
    }

    private func readContent(_ take: (XMLEvent) -> Void) throws(XMLError) {
        var depth = 1
        // Invariant: `depth` elements are open, from the one whose content is read.
        while let event = try next() {
            switch event {
            case .start: depth += 1
            case .end:
                depth -= 1
                if depth == 0 { return }
            case .text: break
            }
            take(event)
        }
    }

    /// Elements without an end tag (HTML §13.1.2).
    private static let voidElements: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    ]
}

/// A text that is given up when it becomes too long.
private struct BoundedText {
    /// Stream-safe, although two parts may each have marks where they meet.
    var text: String? { written?.streamSafe }
    private var written: String? = ""
    private var bytes = 0
    private let limitBytes: Int

    init(_ limitBytes: Int) { self.limitBytes = limitBytes }

    mutating func append(_ part: String) {
        bytes += part.utf8.count
        if bytes > limitBytes { written = nil } else { written?.append(part) }
    }
}
