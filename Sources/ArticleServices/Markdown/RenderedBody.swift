import ArticleAPI
import ArticleStore

/// What a body becomes for readers.
struct RenderedBody: Sendable, Hashable {
    let html: String
    /// Of the words that readers see: not of addresses and markup.
    let measure: TextMeasure

    /// - Parameter html: as the renderer writes it, in NFC.
    init(html: String) {
        self.html = html
        measure = TextMeasure(Self.text(of: html))
    }

    /// As the store keeps it.
    var kept: BodyHTML { BodyHTML(renderer: MarkdownRenderer.name, html: html) }

    /// The text of our own renderer's HTML, in which `<` and `>` stand around tags and comments
    /// only, blocks are parted by line breaks, and `&amp; &lt; &gt; &quot;` are all the references
    /// that there are.
    private static func text(of html: String) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(html.utf8.count)
        var isInTag = false
        var isInReference = false
        // Invariant: `text` holds what stands outside of tags; a reference is a space.
        for byte in html.utf8 {
            switch byte {
            case UInt8(ascii: "<"): isInTag = true
            case UInt8(ascii: ">"): isInTag = false
            case _ where isInTag: continue
            case UInt8(ascii: "&"):
                isInReference = true
                text.append(UInt8(ascii: " "))
            case UInt8(ascii: ";") where isInReference: isInReference = false
            case _ where isInReference: continue
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
