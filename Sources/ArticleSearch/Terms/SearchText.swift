import ArticleAPI

/// A document, read into words once: for its keys, for comparing it with a query, and for marking
/// matches.
package struct SearchText: Sendable {
    package let document: SearchDocument
    /// The body without Markdown, in UTF-8.
    let body: [UInt8]
    /// The folded bytes of all units, one after another.
    let folded: [UInt8]
    let units: [TextUnit]
    /// In the order in which they were read.
    let fields: [Field]

    /// The units of one text.
    struct Field: Sendable {
        enum Kind: Sendable {
            case title, tag, author, summary, body

            /// A heading: a query of one letter finds words in it, and each two neighbouring words
            /// are also indexed as one.
            var isHeading: Bool { self != .summary && self != .body }
        }

        let kind: Kind
        let units: Range<Int>
    }

    package init(_ document: SearchDocument) {
        self.document = document
        let body = PlainText.bytes(ofMarkdown: document.body)
        var reader = TextReader(
            capacity: body.count + document.title.utf8.count + document.summary.utf8.count + 200)
        var fields: [Field] = []
        func read(_ kind: Field.Kind, _ bytes: [UInt8]) {
            let first = reader.units.count
            reader.read(bytes)
            fields.append(Field(kind: kind, units: first..<reader.units.count))
        }
        read(.title, Array(document.title.utf8))
        for tag in document.tags { read(.tag, Array(tag.name.utf8)) }
        for author in document.authors { read(.author, Array(author.name.utf8)) }
        read(.summary, Array(document.summary.utf8))
        read(.body, body)
        self.body = body
        self.fields = fields
        folded = reader.folded
        units = reader.units
    }

    func units(of kind: Field.Kind) -> Range<Int> {
        fields.first { $0.kind == kind }?.units ?? 0..<0
    }
}
