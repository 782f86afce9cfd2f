import BroadsheetHTTP
import BroadsheetMarkup

/// Replaces the shortcodes in a text, such as `[caption]…[/caption]`, by HTML.
///
/// Each byte is looked at a fixed number of times, whatever brackets a text opens and never closes.
struct WordPressShortcodes {
    /// Number of galleries, which are left out.
    private(set) var galleries = 0
    private let bytes: [UInt8]
    private var bracket = Finder("]")
    private var ends: [String: Finder] = [:]

    /// Maximum length of a shortcode up to its bracket, in bytes.
    private static let limitBytes = 2_000
    private static let enclosing: Set<String> = ["caption", "code", "embed", "sourcecode"]
    private static let single: Set<String> = ["audio", "gallery", "video"]
    private static let limitNameBytes = 10

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Returns the text with HTML for known shortcodes; others stay as text. It is stream-safe, as
    /// the texts around a shortcode meet where that is left out.
    mutating func html() -> String {
        var html: [UInt8] = []
        html.reserveCapacity(bytes.count)
        var position = 0
        // Invariant: `html` has the text before `position`.
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "[")) {
            html += bytes[position..<open]
            if let (replacement, end) = shortcode(at: open) {
                html += replacement.utf8
                position = end
            } else {
                html.append(bytes[open])
                position = open + 1
            }
        }
        html += bytes[position...]
        return String(decoding: html, as: UTF8.self).streamSafe
    }

    /// The HTML for the shortcode that begins at a bracket, and where it ends; `nil` if there is
    /// none.
    private mutating func shortcode(at open: Int) -> (html: String, end: Int)? {
        let start = open + 1
        let name = text(
            bytes[start...].prefix(Self.limitNameBytes + 1).prefix { Self.isLetter($0) })
        guard Self.enclosing.contains(name) || Self.single.contains(name),
            let close = bracket.next(in: bytes, from: start), close - open <= Self.limitBytes
        else { return nil }
        let attributes = text(bytes[(start + name.utf8.count)..<close])
        switch name {
        case "gallery":
            galleries += 1
            return ("", close + 1)
        case "audio", "video":
            return Self.value(of: ["src", "mp4"], in: attributes).map { (Self.link($0), close + 1) }
        default:
            let ending = "[/\(name)]"
            guard
                let end = ends[name, default: Finder(ending)].next(in: bytes, from: close + 1)
            else { return nil }
            let content = text(bytes[(close + 1)..<end])
            return (Self.html(name, attributes, content), end + ending.utf8.count)
        }
    }

    private static func html(_ name: String, _ attributes: String, _ content: String) -> String {
        switch name {
        case "caption": return figure(content)
        case "embed": return link(String(content.trimmingSpaces).htmlEscaped)
        default:
            let language = value(of: ["lang", "language"], in: attributes)
            let type = language.map { " class=\"language-\($0)\"" } ?? ""
            // The editor may have escaped it already.
            let isEscaped = content.contains(bytesOf: "&lt;") || content.contains(bytesOf: "&amp;")
            return "<pre\(type)>\(isEscaped ? content : content.htmlEscaped)</pre>"
        }
    }

    private static func link(_ url: String) -> String { "<p><a href=\"\(url)\">\(url)</a></p>" }

    /// The text after the image, or after the link around it, is the caption.
    private static func figure(_ content: String) -> String {
        let end = ["</a>", "/>", ">"].lazy.compactMap { content.firstRange(bytesOf: $0) }.first
        guard let end else { return content }
        let caption = content[end.upperBound...].trimmingSpaces
        return "<figure>\(content[..<end.upperBound])<figcaption>\(caption)</figcaption></figure>"
    }

    /// The value of the first of these attributes, which is in quotation marks and contains nothing
    /// that needs escapes.
    private static func value(of names: [String], in attributes: String) -> String? {
        for name in names {
            for mark in ["\"", "'"] {
                guard let start = attributes.firstRange(bytesOf: " \(name)=\(mark)") else {
                    continue
                }
                let value = attributes[start.upperBound...].prefix { $0 != Character(mark) }
                if !value.contains(where: { "\"<>".contains($0) }) { return String(value) }
            }
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Finds a pattern again and again from positions that never decrease, in linear time.
    private struct Finder {
        private let pattern: [UInt8]
        /// The first place from the last position on; the end of the text if there is none.
        private var found: Int?

        init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

        mutating func next(in bytes: [UInt8], from position: Int) -> Int? {
            if let found, found >= position { return found < bytes.count ? found : nil }
            var place = position
            // Invariant: the pattern is not found between `position` and `place`.
            while place < bytes.count, !bytes[place...].starts(with: pattern) { place += 1 }
            found = min(place, bytes.count)
            return place < bytes.count ? place : nil
        }
    }
}
