import ArticleAPI

extension AnalyzedDocument {
    package init(_ document: SearchDocument) { self.init(SearchText(document)) }

    package init(_ text: SearchText) {
        var table = TermTable(text)
        for field in text.fields { table.read(field) }
        self.init(text, table.entries)
    }

    private init(_ text: SearchText, _ entries: [TermTable.Entry]) {
        let document = text.document
        let titleWords = TermReader.words(text.units[text.units(of: .title)])
        let bodyWords = TermReader.words(text.units[text.units(of: .body)])
        var places = text.folded.withUnsafeBufferPointer { folded in
            entries.indices.map { TermPrefix(entries[$0].term, Int32($0), folded) }
        }
        text.folded.withUnsafeBufferPointer { folded in
            places.sort { $0.precedes($1, entries, folded) }
        }
        var keys = KeyWriter(count: entries.count)
        let impacts = entries.map { entry in
            Impact.of(entry.uses, titleWords: titleWords, bodyWords: bodyWords)
        }
        for (key, impact) in Self.headings(entries, impacts, text.folded) {
            keys.append(key, impact)
        }
        for place in places {
            let index = Int(place.entry)
            keys.append(.word, text.folded[entries[index].term], impacts[index])
        }
        for key in Self.filters(document) { keys.append(key, 0) }
        self.init(
            id: document.id, revision: document.revision,
            published: document.publishedAt.milliseconds, bytes: keys.bytes, ends: keys.ends,
            impacts: keys.impacts)
    }

    /// The first letters of the words of title, tags and authors, each with the greatest impact of
    /// these words.
    private static func headings(
        _ entries: [TermTable.Entry], _ impacts: [UInt8], _ folded: [UInt8]
    ) -> [(TermKey, UInt8)] {
        var found: [TermKey: UInt8] = [:]
        for (entry, impact) in zip(entries, impacts) where entry.uses.isHeading {
            let first = TermKey(.heading, firstScalar(folded[entry.term]))
            found[first] = max(found[first] ?? 0, impact)
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func filters(_ document: SearchDocument) -> [TermKey] {
        var keys = document.tags.map { TermKey.tag($0.key) }
        keys += document.authors.map { .author($0.id) }
        keys.append(.language(document.language))
        if let source = document.source { keys.append(.source(source)) }
        return Set(keys).sorted()
    }

    /// The bytes of the first scalar.
    static func firstScalar(_ term: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = term.dropFirst().firstIndex { $0 & 0xC0 != 0x80 } ?? term.endIndex
        return term[..<end]
    }
}

/// The weight of a term in a document.
enum Impact {
    /// 1 to 254: 128 + min(32, ⌊64 / words⌋) for the title; 31 for tags, authors or summary; and
    /// ⌊640,000·tf / (10,000·tf + 3,000 + 18·words)⌋, at least 1, for the body.
    static func of(_ uses: TermOccurrences, titleWords: Int, bodyWords: Int) -> UInt8 {
        var impact = 0
        if uses.isInTitle { impact += 128 + min(32, 64 / max(1, titleWords)) }
        if uses.isInDescription { impact += 31 }
        if uses.inBody > 0 {
            let count = Int(uses.inBody)
            impact += max(1, 640_000 * count / (10_000 * count + 3_000 + 18 * bodyWords))
        }
        return UInt8(min(255, impact))
    }
}

/// The places in which a document uses a term.
struct TermOccurrences {
    var isInTitle = false
    /// In tags, authors or summary.
    var isInDescription = false
    /// In title, tags or authors, as a word of letters or digits.
    var isHeading = false
    /// The number of uses in the body.
    var inBody: Int32 = 0
}

/// A term by its first bytes, for sorting.
private struct TermPrefix {
    let prefix: UInt64
    let entry: Int32

    init(_ term: Range<Int>, _ entry: Int32, _ folded: UnsafeBufferPointer<UInt8>) {
        var prefix: UInt64 = 0
        for byte in folded[term.prefix(8)] { prefix = prefix << 8 | UInt64(byte) }
        self.prefix = prefix << UInt64(8 * max(0, 8 - term.count))
        self.entry = entry
    }

    @inline(__always)
    func precedes(
        _ other: TermPrefix, _ entries: [TermTable.Entry], _ folded: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        return folded[entries[Int(entry)].term].lexicographicallyPrecedes(
            folded[entries[Int(other.entry)].term])
    }
}

/// Writes keys and impacts one after another.
private struct KeyWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [UInt32] = []
    private(set) var impacts: [UInt8] = []

    init(count: Int) {
        bytes.reserveCapacity(count * 8 + 200)
        ends.reserveCapacity(count + 40)
        impacts.reserveCapacity(count + 40)
    }

    mutating func append(_ key: TermKey, _ impact: UInt8) {
        bytes += key.bytes
        end(impact)
    }

    mutating func append(_ kind: TermKey.Class, _ term: ArraySlice<UInt8>, _ impact: UInt8) {
        bytes.append(kind.rawValue)
        bytes += term
        end(impact)
    }

    private mutating func end(_ impact: UInt8) {
        ends.append(UInt32(bytes.count))
        impacts.append(impact)
    }
}
