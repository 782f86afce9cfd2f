/// A subject that articles share: compared by its case-folded key, shown by its display name.
public struct Tag: Sendable, Hashable, Identifiable {
    /// Case-folded, NFC, 1 to 64 characters.
    public var key: String
    /// As it was first written.
    public var name: String

    /// The key, which distinguishes tags.
    public var id: String { key }

    public init(key: String, name: String) {
        self.key = key
        self.name = name
    }

    /// A tag with the number of articles that the caller can see under it.
    public struct Usage: Sendable, Hashable, Identifiable {
        public var tag: Tag
        public var articleCount: Int
        /// The tag's key.
        public var id: String { tag.key }

        public init(tag: Tag, articleCount: Int) {
            self.tag = tag
            self.articleCount = articleCount
        }
    }
}

extension Tag.Usage: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(key:name:articleCount:),
        .required("key", \.tag.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.tag.name, .text(.line(ArticleLimits.tag))),
        .required("articleCount", \.articleCount, .integer(0...Int.max)))

    private init(key: String, name: String, articleCount: Int) {
        self.init(tag: Tag(key: key, name: name), articleCount: articleCount)
    }
}

extension Tag {
    /// The tag with this display name.
    public init(named name: String) {
        let name = name.inNFC
        self.init(key: name.caseFolded, name: name)
    }
}

extension String {
    /// The text with case folded and invisible characters removed, in NFC: `Straße` and `STRASSE`
    /// give the same result.
    ///
    /// Upper-casing first unifies `ß` with `ss` and the two lower-case sigmas, as Unicode's full
    /// case folding does. A dotless ı stays distinct from i, as it does there.
    var caseFolded: String {
        var folded = ""
        for scalar in unicodeScalars where !isInvisible(scalar) {
            folded +=
                scalar == "\u{131}"
                ? String(scalar) : scalar.properties.uppercaseMapping.lowercased()
        }
        return folded.inNFC
    }
}
