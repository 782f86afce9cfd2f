import BroadsheetHTTP
import CBroadsheetXML

/// A piece of HTML as a tree, read as leniently as browsers do.
///
/// It has one owner; use it on one thread at a time.
///
/// ```swift
/// let text = HTMLFragment("Salt &amp; <b>pepper</b>")?.text
/// ```
package struct HTMLFragment: ~Copyable {
    private let document: HTMLDocument
    /// Its first child has the fragment as its content. If the fragment ends it, the rest follows.
    private let body: xmlNodePtr

    private static let limits = HTMLLimits(inputBytes: 12 << 20)

    /// `nil` if it is larger than 12 MB, has too many elements or attributes, or nests them deeper
    /// than 256, or if there is no memory.
    package init?(_ html: String) {
        // Within an element, text does not become a paragraph.
        let whole = "<html><body><div>\(html)</div></body></html>"
        guard let document = try? HTMLDocument(whole, limits: Self.limits), !document.isCutOff,
            let body = document.withRoot(Self.body) ?? nil
        else { return nil }
        self.document = document
        self.body = body
    }

    private static func body(below root: xmlNodePtr) -> xmlNodePtr? {
        var node = root.pointee.children
        while let current = node, !isElement(current, named: ["body"]) {
            node = current.pointee.next
        }
        return node
    }

    private static func isElement(_ node: xmlNodePtr, named names: Set<String>) -> Bool {
        node.pointee.type == XML_ELEMENT_NODE && node.pointee.name != nil
            && names.contains(String(cString: node.pointee.name))
    }

    /// Calls `visit` for each node in the order of the document, without recursion. The content of
    /// a node for which it returns false is left out.
    private func walk(_ visit: (xmlNodePtr) -> Bool) {
        var node = body.pointee.children
        // Invariant: every node before `node` was visited or left out.
        while let current = node {
            if visit(current), let child = current.pointee.children {
                node = child
                continue
            }
            node = current
            while let last = node, last.pointee.next == nil {
                node = last.pointee.parent == body ? nil : last.pointee.parent
            }
            node = node?.pointee.next
        }
    }

    // MARK: Text

    private static let hiddenElements: Set<String> = ["script", "style", "template"]
    private static let breakingElements: Set<String> = [
        "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption",
        "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main",
        "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
    ]

    /// The text as readers see it, with a line break before each block. It is stream-safe.
    package var text: String {
        var text = ""
        walk { node in
            switch node.pointee.type {
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
                if let content = node.pointee.content { text += String(cString: content) }
            case XML_ELEMENT_NODE:
                if Self.isElement(node, named: Self.hiddenElements) { return false }
                if !text.isEmpty, Self.isElement(node, named: Self.breakingElements) {
                    text += "\n"
                }
            default: break
            }
            return true
        }
        return text.streamSafe
    }

    // MARK: Addresses

    private static let addresses: Set<String> = [
        "href", "src", "srcset", "poster", "cite", "action", "formaction", "data", "background",
        "longdesc",
    ]

    /// References that are resolved; further ones stay relative.
    private static let limitAddresses = 20_000

    /// The fragment with absolute URLs; `nil` if it has none that is relative.
    package consuming func resolvingAddresses(against base: String) -> String? {
        var hasChanged = false
        var left = Self.limitAddresses
        walk { node in
            guard node.pointee.type == XML_ELEMENT_NODE else { return true }
            var next = node.pointee.properties
            while let attribute = next {
                next = attribute.pointee.next
                guard let nameBytes = attribute.pointee.name,
                    let content = attribute.pointee.children?.pointee.content
                else { continue }
                let name = String(cString: nameBytes)
                guard left > 0, Self.addresses.contains(name) else { continue }
                left -= 1
                let value = String(cString: content).streamSafe
                let resolved =
                    name == "srcset"
                    ? Self.resolved(imageSet: value, base) : Self.resolved(value, base)
                if resolved != value {
                    hasChanged = xmlSetProp(node, nameBytes, resolved) != nil || hasChanged
                }
            }
            return true
        }
        return hasChanged ? serialized() : nil
    }

    /// Longer references are left as they are.
    private static let limitBytes = 8_192

    /// Returns the absolute URL, without the white space that browsers ignore; a URL that has a
    /// scheme, or is invalid, stays as it is.
    private static func resolved(_ reference: String, _ base: String) -> String {
        let bare = String(
            String.UnicodeScalarView(
                reference.unicodeScalars.filter { !["\n", "\r", "\t"].contains($0) })
        )
        .split(separator: " ", omittingEmptySubsequences: true).joined(separator: "%20")
        guard bare.utf8.count <= limitBytes, Reference.scheme(of: bare) == nil else {
            return reference
        }
        return Reference.resolve(bare, against: base) ?? reference
    }

    /// The URLs of `srcset`: `a.png 1x, b.png 2x`.
    private static func resolved(imageSet: String, _ base: String) -> String {
        imageSet.split(separator: ",").map { candidate in
            let words = candidate.split(whereSeparator: \.isWhitespace)
            return
                ([words.first.map { resolved(String($0), base) }].compactMap(\.self)
                + words.dropFirst().map(String.init)).joined(separator: " ")
        }.joined(separator: ", ")
    }

    /// Returns the content of the body's first child, and the nodes after that child.
    private func serialized() -> String? {
        guard let buffer = xmlBufferCreate() else { return nil }
        defer { xmlBufferFree(buffer) }
        guard let output = xmlOutputBufferCreateBuffer(buffer, nil) else { return nil }
        let first = body.pointee.children
        for first in [first?.pointee.children, first?.pointee.next] {
            var node = first
            while let current = node {
                htmlNodeDumpFormatOutput(output, body.pointee.doc, current, "UTF-8", 0)
                node = current.pointee.next
            }
        }
        guard xmlOutputBufferClose(output) >= 0, let bytes = xmlBufferContent(buffer) else {
            return nil
        }
        return String(cString: bytes).streamSafe
    }
}
