import BroadsheetHTTP
import CBroadsheetXML

/// The names of HTML elements by their treatment.
enum HTMLNames {
    static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
        "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
        "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li",
        "listing", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
        "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
    ]

    /// Elements that are left out with their content, and the kind that is reported for them.
    static let leftOut: [String: OmittedMarkup.Kind] = [
        "script": .script, "style": .style, "svg": .drawing, "canvas": .drawing, "math": .drawing,
        "input": .form, "select": .form, "textarea": .form, "button": .form, "applet": .frame,
    ]

    /// Elements that are left out without a report: the content of a page is not in its head, and
    /// the content for browsers without scripts is given twice.
    static let silent: Set<String> = [
        "head", "title", "meta", "link", "noscript", "template", "param", "source", "track",
    ]

    /// Elements that embed something, to which there will be a link.
    static let frames: Set<String> = ["iframe", "embed", "video", "audio", "object", "frame"]
}

/// A node of libxml2's tree, read only while its document exists.
extension xmlNodePtr {
    var isElement: Bool { pointee.type == XML_ELEMENT_NODE }

    var isText: Bool {
        pointee.type == XML_TEXT_NODE || pointee.type == XML_CDATA_SECTION_NODE
    }

    /// The lower-cased name of an element.
    var name: String { pointee.name.map { String(cString: $0) } ?? "" }

    var first: xmlNodePtr? { pointee.children }

    var children: [xmlNodePtr] {
        var children: [xmlNodePtr] = []
        var next = pointee.children
        while let child = next {
            children.append(child)
            next = child.pointee.next
        }
        return children
    }

    /// The value of an attribute; `nil` without it, and empty if it has none.
    subscript(_ attribute: String) -> String? {
        var next = pointee.properties
        // Invariant: none of the attributes before `next` has this name.
        while let found = next {
            if let name = found.pointee.name, String(cString: name) == attribute {
                return found.pointee.children?.text ?? ""
            }
            next = found.pointee.next
        }
        return nil
    }

    /// The image of a set (`srcset`, HTML §4.8.4.2.1) that has the largest width or density.
    static func largestImage(in set: String) -> String? {
        var largest: (url: Substring, size: Double)?
        var words = set.split(whereSeparator: \.isWhitespace)[...]
        var next: Substring?
        // Invariant: `largest` is that of the images before `next` and `words`.
        while var url = next ?? words.popFirst() {
            next = nil
            var size = 1.0
            if url.last == "," {
                while url.last == "," { url.removeLast() }
            } else if let descriptor = words.popFirst() {
                let parts = descriptor.split(separator: ",", maxSplits: 1)
                size = parts.first.flatMap { Double($0.dropLast()) } ?? 1
                // There may be no space before the next one.
                if parts.count > 1 { next = parts[1] }
            }
            if !url.isEmpty, size > largest?.size ?? -1 { largest = (url, size) }
        }
        return largest.map { String($0.url) }
    }

    /// The text in the node and its descendants, with line feeds for line breaks; of an attribute's
    /// first child, the value. It is stream-safe.
    var text: String {
        var text = ""
        addText(to: &text)
        return text.streamSafe
    }

    private func addText(to text: inout String) {
        if isText {
            if let content = pointee.content { text += String(cString: content) }
        } else if isElement, name == "br" {
            text += "\n"
        } else if isElement {
            for child in children { child.addText(to: &text) }
        }
    }

    /// The language of code according to its classes: `language-swift`, `lang-swift`, or
    /// `brush: swift`.
    var codeLanguage: String? {
        let words = (self["class"] ?? "").split { $0.isWhitespace || $0 == ";" }.map(String.init)
        for (index, word) in words.enumerated() {
            var found: String?
            for start in ["language-", "lang-", "brush:"] where word.hasPrefix(start) {
                found = String(word.dropFirst(start.count))
                if found?.isEmpty == true, index + 1 < words.count { found = words[index + 1] }
            }
            if let found, Self.isLanguage(found) { return found }
        }
        return nil
    }

    private static func isLanguage(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || "+#-._".utf8.contains(byte)
            }
    }

    /// The number of columns that a cell spans.
    var columns: Int { min(max(self["colspan"].flatMap { Int($0) } ?? 1, 1), 100) }

    var alignment: MarkdownTable.Alignment {
        let style = (self["style"] ?? "").lowercased().filter { $0 != " " }
        for (name, alignment) in [
            ("left", MarkdownTable.Alignment.left), ("center", .center), ("right", .right),
        ] where self["align"]?.lowercased() == name || style.contains(bytesOf: "text-align:\(name)")
        {
            return alignment
        }
        return .none
    }
}
