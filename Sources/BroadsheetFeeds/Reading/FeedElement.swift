import BroadsheetHTTP
import BroadsheetMarkup

/// An element of a feed, read whole.
struct FeedElement {
    let name: String
    /// Empty for none.
    let namespace: String
    let attributes: [Attribute]
    /// The URI against which references in it are resolved (XML Base).
    let base: String
    /// That of its start tag, counted from 1.
    let line: Int
    var children: [Child] = []

    struct Attribute {
        let name: String
        /// Empty for none.
        let namespace: String
        let value: String
    }

    enum Child {
        case text(String)
        case element(FeedElement)
    }

    var elements: [FeedElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The value of an attribute without a prefix.
    func attribute(_ name: String) -> String? {
        attributes.first { $0.name == name && $0.namespace.isEmpty }?.value
    }

    /// The value of `xml:lang` here; that of an element around it is not inherited.
    var language: String? {
        attributes.first { $0.name == "lang" && $0.namespace == FeedNamespace.xml }?.value
    }

    /// All text in it, but for scripts and style sheets. It is stream-safe.
    var text: String {
        var text = ""
        addText(to: &text)
        return text.streamSafe
    }

    private func addText(to text: inout String) {
        for child in children {
            switch child {
            case .text(let part): text += part
            case .element(let element) where ["script", "style"].contains(element.name): break
            case .element(let element): element.addText(to: &text)
            }
        }
    }

    /// The children with this name.
    func all(_ name: String, in namespace: (String) -> Bool) -> [FeedElement] {
        elements.filter { $0.name == name && namespace($0.namespace) }
    }

    /// The first child with this name that has any text.
    func first(_ name: String, in namespace: (String) -> Bool) -> FeedElement? {
        all(name, in: namespace).first { !$0.text.trimmed.isEmpty }
    }

    /// The absolute form of a reference in this element; `nil` if it is empty or no http(s) URL.
    func address(_ reference: String?) -> String? {
        reference.flatMap { FeedAddress.resolved($0, against: base) }
    }

    // MARK: HTML

    private static let voidElements: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    ]

    /// Its content, which is XHTML, as HTML: names of elements and attributes lose their prefixes.
    var innerHTML: String {
        get throws(FeedError) {
            var writer = XMLWriter(isDocument: false)
            Self.write(children, to: &writer)
            do throws(XMLWriterError) {
                return String(decoding: try writer.finish(), as: UTF8.self).streamSafe
            } catch { throw FeedError("the XHTML cannot be converted to HTML", line: line) }
        }
    }

    private static func write(_ children: [Child], to writer: inout XMLWriter) {
        for child in children {
            switch child {
            case .text(let text): writer.text(text)
            case .element(let element):
                writer.start(
                    element.name,
                    element.attributes.filter(\.namespace.isEmpty).map { ($0.name, $0.value) })
                write(element.children, to: &writer)
                writer.end(isExplicit: !voidElements.contains(element.name))
            }
        }
    }
}
