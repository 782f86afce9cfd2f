/// The names that the formats use, as they are written and read.
enum FeedNamespace {
    static let atom = "http://www.w3.org/2005/Atom"
    static let content = "http://purl.org/rss/1.0/modules/content/"
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let media = "http://search.yahoo.com/mrss/"
    /// The namespace for parts of an article that the formats lack: `slug`, `markdown`; and the
    /// attribute `text="plain"` of RSS's `channel` and `item`, whose other texts contain no HTML.
    static let broadsheet = "urn:x-broadsheet:feed:1"
    /// `xml:base` and `xml:lang`.
    static let xml = "http://www.w3.org/XML/1998/namespace"
}
