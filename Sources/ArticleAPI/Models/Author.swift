/// Someone who writes articles. It is a value: every edit makes a new one. Use it anywhere.
///
/// ```swift
/// let author = try await backend.send(FetchAuthorRequest(id: id))
/// let reference = Author.Reference(id: author.id, name: author.name)
/// ```
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
        /// The author's revision with this name: of two names, the one with the higher revision is
        /// current. Read-only; `nil` if it is not known.
        public var revision: Int?

        public init(id: ID, name: String, revision: Int? = nil) {
            self.id = id
            self.name = name
            self.revision = revision
        }
    }

    /// An author in a draft: given by id, or by name, which is looked up or creates an author.
    public enum Mention: Sendable, Hashable {
        /// `{"id": …}`; a name in it must be the author's. A revision in it is ignored.
        case id(ID, name: String?)
        /// `{"name": …}` or a plain string.
        case name(String)
    }
}

extension Author {
    /// The new content of a whole author (`PUT`); it may contain the read-only attributes,
    /// unchanged.
    public struct Replacement: Sendable, Hashable {
        /// The id of the path, if it is repeated.
        public var id: ID?
        public var name: String
        public var about: String
        public var website: String?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var revision: Int?
        public var version: String?

        public init(
            id: ID? = nil, name: String, about: String = "", website: String? = nil,
            createdAt: Timestamp? = nil, updatedAt: Timestamp? = nil, revision: Int? = nil,
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
    }
}

extension Author: JSONModel {
    public static let shape = ObjectCodec(
        named: "Author", Self.init,
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
        named: "AuthorReplacement", Self.init,
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
        schema: .named(
            "AuthorMention",
            .either([
                .object(idShape.properties), .object(nameShape.properties), nameFormat.schema,
            ])),
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
            case .id(let id, let name): idShape.write(ById(id, name: name), to: &writer)
            case .name(let name): nameShape.write(ByName(name: name), to: &writer)
            }
        },
        check: { mention, reader in
            switch mention {
            case .id(let id, let name): idShape.check(ById(id, name: name), &reader)
            case .name(let name): nameShape.check(ByName(name: name), &reader)
            }
        })

    private struct ById: Sendable {
        var id: Author.ID
        var name: String?

        init(_ id: Author.ID, name: String?) {
            self.id = id
            self.name = name
        }
    }

    private struct ByName: Sendable {
        var name: String
    }

    private static let nameFormat = JSONCodec<String>.text(.line(ArticleLimits.authorName))
    private static let idShape = ObjectCodec(
        { (id: Author.ID, name: String?, _: Int?) in ById(id, name: name) },
        .required("id", \.id, .identifier()),
        .optional("name", \.name, nameFormat),
        .optional("revision", { @Sendable _ in nil }, .integer(1...Int.max)))
    private static let nameShape = ObjectCodec(
        ByName.init, .required("name", \.name, nameFormat))
}

extension JSONCodec where Value == [Author.Mention] {
    static var authors: JSONCodec {
        .array(of: Author.Mention.format, limit: ArticleLimits.authors)
    }
}

extension Author.Reference: JSONModel {
    public static let shape = ObjectCodec(
        named: "AuthorReference", Self.init,
        .required("id", \.id, .identifier()),
        .required("name", \.name, .text(.line(ArticleLimits.authorName))),
        .optional("revision", \.revision, .integer(1...Int.max)))
}

extension Author.Reference {
    /// An author who is only known by name, as typed by an editor: the backend finds or creates the
    /// author when the article is sent.
    ///
    /// The id is provisional: its time is 1970, and the same name gives the same id.
    public init(named name: String) {
        // FNV-1a, in the random bits of the id.
        let hash = name.inNFC.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        guard let id = Author.ID(high: 0x7000, low: 1 << 63 | hash >> 2) else {
            preconditionFailure("programmer error: the version and variant are those of an id")
        }
        self.init(id: id, name: name)
    }

    /// True if the id was made by `init(named:)` and is unknown to the backend.
    public var isProvisional: Bool { id.high == 0x7000 }

    /// The author as given in a draft.
    public var mention: Author.Mention {
        isProvisional ? .name(name) : .id(id, name: nil)
    }
}
