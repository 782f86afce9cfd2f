import BroadsheetMarkup

extension FeedElement {
    /// The maximum elements and texts of each entry, and also of the document outside of entries.
    /// It bounds the memory for documents that consist of nothing but tags.
    static let limitNodes = 200_000

    /// The start of an element, in a document at `address`.
    init(_ start: XMLElement, line: Int, address: String) {
        let (name, namespace) = Self.expanded(start.name)
        self.init(
            name: name, namespace: namespace,
            attributes: start.attributes.map { attribute in
                let (name, namespace) = Self.expanded(attribute.name)
                return Attribute(name: name, namespace: namespace, value: attribute.value)
            },
            base: start.base.flatMap { FeedAddress.resolved($0, against: address) } ?? address,
            line: line)
    }

    /// Reads the content up to the end of the element, whose start was the last event.
    ///
    /// - Parameter nodes: The number of nodes that may still be read, which is counted down.
    mutating func readContent(
        from reader: XMLReader, at address: String, nodes: inout Int
    ) throws(FeedError) {
        while let event = try reader.nextOfFeed() {
            nodes -= 1
            guard nodes > 0 else {
                throw FeedError(
                    "there are more than \(Self.limitNodes) elements and texts in one entry, "
                        + "or outside of entries",
                    line: line)
            }
            switch event {
            case .start(let start):
                var child = FeedElement(start, line: reader.line, address: address)
                try child.readContent(from: reader, at: address, nodes: &nodes)
                children.append(.element(child))
            case .text(let text): children.append(.text(text))
            case .end: return
            }
        }
    }

    /// Prefixes that feeds use without declaring them.
    private static let knownPrefixes = [
        "atom": FeedNamespace.atom, "content": FeedNamespace.content,
        "dc": FeedNamespace.dublinCore, "media": FeedNamespace.media,
        "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    ]

    private static func expanded(_ name: XMLName) -> (name: String, namespace: String) {
        if let namespace = name.namespace {
            // Some feeds have corrected the scheme, which is part of the name.
            let isSecure = namespace.hasPrefix("https://")
            return (name.local, isSecure ? "http" + namespace.dropFirst(5) : namespace)
        }
        guard let colon = name.local.firstIndex(of: ":") else { return (name.local, "") }
        let prefix = String(name.local[..<colon])
        guard let namespace = knownPrefixes[prefix] else { return (name.local, "") }
        return (String(name.local[name.local.index(after: colon)...]), namespace)
    }
}

extension XMLReader {
    /// The next event; the one place where an error of XML becomes one of a feed.
    func nextOfFeed() throws(FeedError) -> XMLEvent? {
        do throws(XMLError) { return try next() } catch {
            throw FeedError(error.phrase, line: error.line)
        }
    }
}
