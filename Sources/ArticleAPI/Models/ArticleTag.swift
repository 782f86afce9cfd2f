/// A subject that articles share: compared by its case-folded key, shown by its display name.
///
/// `==` also compares display names; tags are the same if their keys are.
///
/// ```swift
/// let tag = ArticleTag(named: "Straße")
/// let isSame = tag.key == ArticleTag(named: "STRASSE").key
/// ```
public struct ArticleTag: Sendable, Hashable, Identifiable {
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
        public var tag: ArticleTag
        public var articleCount: Int
        /// The tag's key.
        public var id: String { tag.key }

        public init(tag: ArticleTag, articleCount: Int) {
            self.tag = tag
            self.articleCount = articleCount
        }
    }
}

extension ArticleTag: JSONModel {
    public static let shape = ObjectCodec(
        named: "Tag", Self.init,
        .required("key", \.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.name, .text(.line(ArticleLimits.tag))))
}

extension ArticleTag.Usage: JSONModel {
    public static let shape = ObjectCodec(
        named: "TagUsage", Self.init(key:name:articleCount:),
        .required("key", \.tag.key, .text(.line(ArticleLimits.tag))),
        .required("name", \.tag.name, .text(.line(ArticleLimits.tag))),
        .required("articleCount", \.articleCount, .integer(0...Int.max)))

    private init(key: String, name: String, articleCount: Int) {
        self.init(tag: ArticleTag(key: key, name: name), articleCount: articleCount)
    }
}

extension ArticleTag {
    /// The tag with this display name.
    public init(named name: String) {
        let name = name.inNFC
        self.init(key: name.caseFolded, name: name)
    }
}

extension JSONCodec where Value == [String] {
    static var tagNames: JSONCodec { .array(of: .tagName, limit: ArticleLimits.tags) }
}

extension JSONCodec where Value == String {
    /// A tag by its display name, or as an article shows it: `{"key": …, "name": …}`.
    package static let tagName = JSONCodec(
        schema: .either([nameOfTag.schema, ArticleTag.shape.schema]),
        read: { value, reader in
            guard case .object = value else { return nameOfTag.read(value, &reader) }
            guard let tag = ArticleTag.shape.read(value, &reader) else { return nil }
            if reader.isStrict, tag.key != ArticleTag(named: tag.name).key {
                reader.reading(.name("key")) {
                    $0.report(.rejected("does not belong to this tag; omit it"))
                }
                return nil
            }
            return tag.name
        },
        write: { name, _, writer in writer.string(name) },
        check: nameOfTag.check)

    private static let nameOfTag = JSONCodec.text(TextCodec.tagName)
}

extension TextCodec where Value == String {
    /// The display name of a tag; its key must not be empty.
    fileprivate static var tagName: TextCodec {
        let line = TextCodec.line(ArticleLimits.tag)
        return TextCodec(
            line.expectation, line.schema, parse: line.parse, print: line.print,
            fault: { name in
                line.fault(name) ?? (ArticleTag(named: name).key.isEmpty ? "is invisible" : nil)
            })
    }
}
