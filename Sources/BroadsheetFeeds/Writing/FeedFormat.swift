package import BroadsheetMarkup

/// A format in which feeds are written.
///
/// ```swift
/// let bytes = try FeedFormat.atom.write(feed)
/// ```
package enum FeedFormat: String, Sendable, Hashable, CaseIterable {
    case atom, rss, json

    package var mediaType: String {
        switch self {
        case .atom: "application/atom+xml; charset=utf-8"
        case .rss: "application/rss+xml; charset=utf-8"
        // JSON is UTF-8 and has no parameter (RFC 8259 §11).
        case .json: "application/feed+json"
        }
    }

    /// The feed as a document: equal feeds give equal bytes.
    ///
    /// Characters that XML forbids are left out in Atom and RSS. Entries without a time are as old
    /// as the clock of Unix where the format requires one.
    package func write(_ feed: Feed) throws(XMLWriterError) -> [UInt8] {
        switch self {
        case .atom: try AtomWriter.write(feed)
        case .rss: try RSSWriter.write(feed)
        case .json: JSONFeedWriter.write(feed)
        }
    }
}

extension XMLWriter {
    /// An element with this text, unless there is none.
    mutating func optional(_ name: String, _ text: String?, _ attributes: [(String, String)] = []) {
        if let text, !text.isEmpty { element(name, text, attributes) }
    }

    /// Writes the main image (Media RSS), with its description.
    mutating func media(_ image: FeedEntry.Image?) {
        guard let image else { return }
        element("media:content", [("url", image.url), ("medium", "image")]) { writer in
            writer.optional("media:description", image.alternativeText, [("type", "plain")])
        }
    }

    /// Writes the parts of an entry that the formats lack.
    mutating func broadsheet(_ entry: FeedEntry) {
        optional("broadsheet:slug", entry.slug)
        optional("broadsheet:markdown", entry.contentMarkdown)
    }
}
