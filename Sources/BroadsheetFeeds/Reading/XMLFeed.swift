import BroadsheetMarkup

/// A format of feeds in XML: how its elements become values.
protocol XMLFeedFormat {
    static func isEntry(_ element: FeedElement) -> Bool
    /// Returns the feed that the element around the entries describes.
    static func feed(_ element: FeedElement, at address: String) throws(FeedError) -> Feed
    /// The authors of entries that name none.
    static func authors(_ element: FeedElement) throws(FeedError) -> [String]
    static func entry(_ element: FeedElement) throws(FeedError) -> FeedEntry?
}

/// Reads feeds in XML: one entry at a time, so that memory is bounded by the largest entry.
struct XMLFeed {
    private let reader: XMLReader
    private let address: String
    private var entries: [FeedEntry] = []
    private var omitted = 0
    /// The number of further nodes that may be read outside of entries.
    private var nodes = FeedElement.limitNodes

    private init(_ reader: XMLReader, at address: String) {
        self.reader = reader
        self.address = address
    }

    static func parse(
        _ bytes: [UInt8], encoding: String?, at address: String
    ) throws(FeedError) -> Feed {
        var limits = XMLLimits()
        limits.documentBytes = FeedParser.limitBytes
        limits.depth = FeedParser.limitDepth
        var feed = XMLFeed(
            XMLReader(bytes, encoding: encoding, limits: limits), at: address)
        return try feed.read()
    }

    private mutating func read() throws(FeedError) -> Feed {
        while let event = try reader.nextOfFeed() {
            guard case .start(let start) = event else { continue }
            let root = FeedElement(start, line: reader.line, address: address)
            let feed =
                switch root.name {
                case "feed": try read(AtomFeed.self, in: root)
                case "rss", "RDF": try readChannel(in: root)
                default:
                    throw FeedError(
                        "the document must be a feed: `feed` (Atom), `rss` or `RDF` (RSS), "
                            + "not `\(String(root.name.prefix(100)))`", line: root.line)
                }
            // The rest after the feed must also be well-formed.
            while try reader.nextOfFeed() != nil {}
            return feed
        }
        throw FeedError("the document is empty", line: reader.line)
    }

    /// Reads the feed of an element, whose start was the last event: its entries and its other
    /// content.
    private mutating func read<Format: XMLFeedFormat>(
        _ format: Format.Type, in element: FeedElement
    ) throws(FeedError) -> Feed {
        var element = element
        try readContent(format, of: &element)
        return try feed(format, of: element)
    }

    /// The channel of RSS: the entries are in it (2.0) or beside it (1.0).
    private mutating func readChannel(in root: FeedElement) throws(FeedError) -> Feed {
        var channel: FeedElement?
        while let event = try reader.nextOfFeed() {
            guard case .start(let start) = event else {
                if case .end = event { break }
                continue
            }
            var child = FeedElement(start, line: reader.line, address: address)
            if RSSFeed.isChannel(child), channel == nil {
                try readContent(RSSFeed.self, of: &child)
                channel = child
            } else {
                try read(RSSFeed.self, child: child, of: nil)
            }
        }
        guard let channel else {
            throw FeedError("the feed must have a `channel`, as RSS has", line: root.line)
        }
        return try feed(RSSFeed.self, of: channel)
    }

    private mutating func readContent<Format: XMLFeedFormat>(
        _ format: Format.Type, of element: inout FeedElement
    ) throws(FeedError) {
        while let event = try reader.nextOfFeed() {
            switch event {
            case .start(let start):
                let child = FeedElement(start, line: reader.line, address: address)
                if let other = try read(format, child: child, of: element) {
                    element.children.append(.element(other))
                }
            case .end: return
            case .text: break
            }
        }
    }

    /// Reads an entry, or returns the whole element if it is not an entry.
    @discardableResult
    private mutating func read<Format: XMLFeedFormat>(
        _ format: Format.Type, child: FeedElement, of parent: FeedElement?
    ) throws(FeedError) -> FeedElement? {
        var child = child
        guard format.isEntry(child) else {
            nodes -= 1
            try child.readContent(from: reader, at: address, nodes: &nodes)
            return child
        }
        var nodes = FeedElement.limitNodes
        try child.readContent(from: reader, at: address, nodes: &nodes)
        guard entries.count < FeedParser.limitEntries,
            let entry = try format.entry(child)?.identified
        else {
            omitted += 1
            return nil
        }
        entries.append(entry)
        return nil
    }

    private func feed<Format: XMLFeedFormat>(
        _ format: Format.Type, of element: FeedElement
    ) throws(FeedError) -> Feed {
        var feed = try format.feed(element, at: address)
        let authors = try format.authors(element)
        feed.entries = entries.map { entry in
            var entry = entry
            if entry.authors.isEmpty { entry.authors = authors }
            return entry
        }
        feed.omittedEntries = omitted
        return feed
    }
}
