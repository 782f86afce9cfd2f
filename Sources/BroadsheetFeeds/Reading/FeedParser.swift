import ArticleAPI
import BroadsheetMarkup

/// Reads feeds: Atom 1.0 (RFC 4287) and 0.3, RSS 2.0, 1.0, 0.9x, and JSON Feed 1.1 and 1.0.
///
/// The format is that of the content, whatever the media type says. A document may be hostile: its
/// size, depth, number of entries and lengths of texts are limited, entities that it declares are
/// not expanded, and nothing outside of it is read. XML that is nearly well-formed is repaired.
/// Functions; call them on any thread, but not on an event loop.
///
/// ```swift
/// let feed = try FeedParser.parse(
///     bytes, contentType: "application/rss+xml", address: "https://example.org/feed.xml")
/// ```
package enum FeedParser {
    /// Bytes of a document.
    package static let limitBytes = 10 << 20
    /// Nesting of elements.
    package static let limitDepth = 100
    /// Entries of a feed; further ones are counted in `Feed.omittedEntries`.
    package static let limitEntries = 1_000

    /// Parses a document.
    ///
    /// Relative URLs become absolute; those that are not `http` or `https` are left out, but not in
    /// HTML. Lines are cut at 1,000 characters, summaries at 10,000, and lists of names and tags at
    /// 100. An entry without an id has its URL or, without one, its time and the beginning of its
    /// title, content or file as its id; an empty one is left out, and counted.
    ///
    /// - Parameters:
    ///   - contentType: The media type of the response; its `charset`, if it is known, overrides
    ///     the XML declaration.
    ///   - address: The absolute URL that the document was read from.
    package static func parse(
        _ bytes: [UInt8], contentType: String?, address: String
    ) throws(FeedError) -> Feed {
        guard bytes.count <= limitBytes else {
            throw FeedError("the feed is larger than \(limitBytes) bytes")
        }
        let start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        switch bytes[start...].first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
        case nil: throw FeedError("the document is empty")
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return try JSONFeed.parse(start == 0 ? bytes : Array(bytes[start...]), at: address)
        default: return try XMLFeed.parse(bytes, encoding: charset(contentType), at: address)
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The parameter `charset` of a media type (RFC 7303 §3). That of `text/*` without one is left
    /// to the document, as browsers do.
    private static func charset(_ contentType: String?) -> String? {
        guard let contentType, contentType.utf8.count <= 1_000 else { return nil }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, String(parts[0]).trimmed.lowercased() == "charset" else {
                continue
            }
            let value = String(parts[1]).trimmed.filter { $0 != "\"" && $0 != "'" }
            return value.isEmpty ? nil : value
        }
        return nil
    }
}

extension FeedEntry {
    /// The entry with an id; `nil` if it has nothing that identifies it.
    var identified: FeedEntry? {
        guard id.isEmpty else { return self }
        let texts = [title, summary, contentHTML, contentText, attachment, image?.url]
            .compactMap(\.self)
        guard let text = texts.first(where: { !$0.isEmpty }) else { return nil }
        var entry = self
        let start = FeedText.line(String(text.unicodeScalars.prefix(300)))
        entry.id = (publishedAt ?? updatedAt).map { "\($0) \(start)" } ?? start
        return entry
    }
}
