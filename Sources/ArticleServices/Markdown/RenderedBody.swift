import ArticleAPI
import ArticleStore

/// What a body becomes for readers.
struct RenderedBody: Sendable, Hashable {
    let html: String
    /// Of the words that readers see: not of addresses and markup.
    let measure: TextMeasure

    /// - Parameter html: as the renderer writes it.
    init(written html: [UInt8]) {
        measure = TextMeasure(utf8: Self.text(of: html))
        self.html = String(decoding: Self.withMarkupKept(html), as: UTF8.self).inNFC
    }

    /// U+0338 as a reference: behind the `>` of a tag it would make `≯` of it in NFC, here or at
    /// a reader who normalises, and the tag would go on into the text. No other mark composes
    /// with the characters of markup.
    private static func withMarkupKept(_ html: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(html.count)
        var start = 0
        // Invariant: html[..<start] is in `kept`, with references for the mark.
        while let first = html[start...].firstIndex(of: 0xCC) {
            let isMark = first + 1 < html.count && html[first + 1] == 0xB8
            kept += html[start..<first]
            if isMark { kept += "&#824;".utf8 } else { kept.append(0xCC) }
            start = first + (isMark ? 2 : 1)
        }
        return kept + html[start...]
    }

    /// As the store keeps it.
    var kept: BodyHTML { BodyHTML(renderer: MarkdownRenderer.name, html: html) }

    /// The text of our own renderer's HTML, in which `<` and `>` stand around tags and comments
    /// only, blocks are parted by line breaks, and `&amp; &lt; &gt; &quot;` are all the references
    /// that there are.
    private static func text(of html: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(html.count)
        var isInTag = false
        var isInReference = false
        // Invariant: `text` holds what stands outside of tags; a reference is a space.
        for byte in html {
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
        return text
    }
}
