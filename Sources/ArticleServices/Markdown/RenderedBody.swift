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
        html.withUnsafeBufferPointer { bytes in
            guard bytes.contains(0xCC) else { return html }
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: bytes[..<start] is in `kept`, with references for the mark.
            while let first = bytes[start...].firstIndex(of: 0xCC) {
                let isMark = first + 1 < bytes.count && bytes[first + 1] == 0xB8
                kept += bytes[start..<first]
                if isMark { kept += "&#824;".utf8 } else { kept.append(0xCC) }
                start = first + (isMark ? 2 : 1)
            }
            return kept + bytes[start...]
        }
    }

    /// As the store keeps it.
    var kept: BodyHTML { BodyHTML(renderer: MarkdownRenderer.name, html: html) }

    /// The text of our own renderer's HTML, in which `<` and `>` stand around tags and comments
    /// only, blocks are parted by line breaks, and `&amp; &lt; &gt; &quot;` are all the references
    /// that there are.
    private static func text(of html: [UInt8]) -> [UInt8] {
        html.withUnsafeBufferPointer { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: `text` holds what of bytes[..<start] stands outside of tags, a space for
            // each reference; neither goes on at `start`.
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "<"),
                    bytes[end] != UInt8(ascii: "&")
                {
                    end += 1
                }
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
                guard end < bytes.count else { break }
                let isTag = bytes[end] == UInt8(ascii: "<")
                if !isTag { text.append(UInt8(ascii: " ")) }
                let last = UInt8(ascii: isTag ? ">" : ";")
                start = (bytes[end...].firstIndex(of: last) ?? bytes.count - 1) + 1
            }
            return text
        }
    }
}
