/// Someone who writes articles.
public struct Author: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<Author>

    public var id: ID
    /// 1 to 200 characters; two authors may share one.
    public var name: String
    /// At most 2,000 characters; empty if none was given.
    public var about: String
    /// An absolute http(s) URL of at most 2,000 bytes.
    public var website: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// 1 for a new author; incremented by each replacement.
    public var revision: Int
    /// Identifies this revision in the backend's history, for `If-Match`: `2-x1y2z3`. Read-only;
    /// `nil` in an author that was not served by a backend.
    public var version: String?

    public init(
        id: ID, name: String, about: String = "", website: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp, revision: Int = 1,
        version: String? = nil
    ) {
        self.id = id
        self.name = name
        self.about = about
        self.website = website
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.revision = revision
        self.version = version
    }

    /// An author in an article's by-line.
    public struct Reference: Sendable, Hashable, Identifiable {
        public var id: ID
        public var name: String

        public init(id: ID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// An author in a draft: given by id, or by name, which is looked up or creates an author.
    public enum Mention: Sendable, Hashable {
        /// `{"id": …}`; a name in it must be the author's.
        case id(ID, name: String?)
        /// `{"name": …}` or a plain string.
        case name(String)
    }
}

extension Author: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .required("about", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension Author.Replacement: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .optional("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .defaulted("about", to: "", \.about, .text(.lines(ArticleLimits.about))),
        .optional("website", \.website, .text(.webAddress)),
        .optional("createdAt", \.createdAt, .timestamp),
        .optional("updatedAt", \.updatedAt, .timestamp),
        .optional("revision", \.revision, .integer(1...Int.max)),
        .optional("version", \.version, .text(.version)))
}

extension Author.Mention: JSONRepresentable {
    /// `{"id": …, "name": …}`, `{"name": …}` or just the name.
    public static let format = JSONCodec<Author.Mention>(
        schema: .either([
            .object(idShape.properties), .object(nameShape.properties), nameFormat.schema,
        ]),
        read: { value, reader in
            switch value {
            case .string: nameFormat.read(value, &reader).map(Author.Mention.name)
            case .object(let members) where members.contains { $0.name == "id" }:
                idShape.read(value, &reader).map { .id($0.id, name: $0.name) }
            default: nameShape.read(value, &reader).map { .name($0.name) }
            }
        },
        write: { mention, plan, writer in
            switch mention {
            case .id(let id, let name): idShape.write(ById(id: id, name: name), to: &writer)
            case .name(let name): nameShape.write(ByName(name: name), to: &writer)
            }
        },
        check: { mention, reader in
            switch mention {
            case .id(let id, let name): idShape.check(ById(id: id, name: name), &reader)
            case .name(let name): nameShape.check(ByName(name: name), &reader)
            }
        })

    private struct ById: Sendable {
        var id: Author.ID
        var name: String?
    }

    private struct ByName: Sendable {
        var name: String
    }

    private static let nameFormat = JSONCodec<String>.text(.line(ArticleLimits.authorName))
    private static let idShape = ObjectCodec(
        ById.init,
        .required("id", \.id, .identifier()),
        .optional("name", \.name, nameFormat))
    private static let nameShape = ObjectCodec(
        ByName.init, .required("name", \.name, nameFormat))
}

extension JSONCodec where Value == String {
    /// A tag by its display name, or as an article shows it: `{"key": …, "name": …}`.
    static let tagName = JSONCodec(
        schema: .either([nameOfTag.schema, Tag.shape.schema]),
        read: { value, reader in
            guard case .object = value else { return nameOfTag.read(value, &reader) }
            guard let tag = Tag.shape.read(value, &reader) else { return nil }
            if reader.isStrict, tag.key != Tag(named: tag.name).key {
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
                line.fault(name) ?? (Tag(named: name).key.isEmpty ? "is invisible" : nil)
            })
    }
}
