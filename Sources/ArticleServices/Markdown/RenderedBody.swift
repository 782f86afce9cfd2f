import ArticleAPI
import ArticleStore

/// A rendered body.
struct RenderedBody: Sendable, Hashable {
    let html: String
    /// Counts the words that readers see, without URLs and markup.
    let measure: TextMeasure

    /// - Parameter html: the renderer's output.
    init(written html: [UInt8]) {
        measure = TextMeasure(utf8: Self.text(of: html))
        self.html = String(decoding: Self.withMarkupKept(html), as: UTF8.self).inNFC
    }

    /// Replaces U+0338 by a character reference. After the `>` of a tag, it would compose to `≯` in
    /// NFC, here or at a client that normalizes, and the tag would continue into the text. No other
    /// mark composes with markup characters.
    private static func withMarkupKept(_ html: [UInt8]) -> [UInt8] {
        html.withUnsafeBufferPointer { bytes in
            guard bytes.contains(0xCC) else { return html }
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: `kept` contains bytes[..<start] with references for the mark.
            while let first = bytes[start...].firstIndex(of: 0xCC) {
                let isMark = first + 1 < bytes.count && bytes[first + 1] == 0xB8
                kept += bytes[start..<first]
                if isMark { kept += "&#824;".utf8 } else { kept.append(0xCC) }
                start = first + (isMark ? 2 : 1)
            }
            return kept + bytes[start...]
        }
    }

    /// The form that is stored.
    var kept: BodyHTML { BodyHTML(renderer: MarkdownRenderer.name, html: html) }

    /// The text of our own renderer's HTML, in which `<` and `>` only delimit tags and comments,
    /// blocks are separated by line breaks, and `&amp; &lt; &gt; &quot;` are the only references.
    private static func text(of html: [UInt8]) -> [UInt8] {
        html.withUnsafeBufferPointer { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: `text` holds the part of bytes[..<start] outside of tags, with a space for
            // each reference; `start` is not inside a tag or reference.
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
