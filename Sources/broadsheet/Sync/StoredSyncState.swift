import ArticleAPI
import ArticleClient
import BroadsheetCommandLine

/// The content of a state file: a `SyncState` as JSON, everything in the order of names and ids.
struct StoredSyncState: JSONModel {
    /// The format that this version writes, and the only one that it reads.
    static let currentFormat = 1

    private(set) var number: Int
    private(set) var server: String
    private(set) var filter: String
    private(set) var token: String?
    private(set) var files: [File]
    private(set) var articles: [Entry]
    private(set) var authors: [Name]

    static let shape = ObjectCodec(
        Self.init(number:server:filter:token:files:articles:authors:),
        .required("format", \.number, .integer(1...Int.max)),
        .required("server", \.server, .text(.line(1...4096))),
        .required("filter", \.filter, .text(.line(0...65536))),
        .optional("token", \.token, .text(.token(1...500))),
        .required("files", \.files, .array(of: File.format, limit: SyncState.limit)),
        .required("articles", \.articles, .array(of: Entry.format, limit: SyncState.limit)),
        .required("authors", \.authors, .array(of: Name.format, limit: SyncState.limit)))

    struct File: JSONModel {
        var name: String
        var digests: [String]
        var sizeBytes: Int
        var modifiedNanoseconds: Int

        static let shape = ObjectCodec(
            Self.init(name:digests:sizeBytes:modifiedNanoseconds:),
            .required("name", \.name, .text(.line(1...255))),
            .required("digests", \.digests, .array(of: .text(.token(64...64)), limit: 1_000)),
            .required("size", \.sizeBytes, .integer(-1...Int.max)),
            .required("modified", \.modifiedNanoseconds, .integer(Int.min...Int.max)))
    }

    struct Entry: JSONModel {
        var id: Article.ID
        var name: String
        var authors: [Author.ID]
        var isStale: Bool

        static let shape = ObjectCodec(
            Self.init(id:name:authors:isStale:),
            .required("id", \.id, .identifier()),
            .required("file", \.name, .text(.line(1...255))),
            .required("authors", \.authors, .array(of: .identifier(), limit: 1_000)),
            .defaulted("stale", to: false, \.isStale, .boolean))
    }

    struct Name: JSONModel {
        var id: Author.ID
        var name: String
        var revision: Int

        static let shape = ObjectCodec(
            Self.init(id:name:revision:),
            .required("id", \.id, .identifier()),
            .required("name", \.name, .text(.line(1...1_000))),
            .required("revision", \.revision, .integer(0...Int.max)))
    }
}

extension StoredSyncState {
    init(_ state: SyncState) {
        self.init(
            number: Self.currentFormat, server: state.server, filter: state.filter,
            token: state.token,
            files: state.files.sorted { $0.key < $1.key }.map { name, file in
                File(
                    name: name, digests: file.digests.sorted(), sizeBytes: file.stamp.sizeBytes,
                    modifiedNanoseconds: file.stamp.modifiedNanoseconds)
            },
            articles: state.articles.sorted { $0.key < $1.key }.map { id, entry in
                Entry(id: id, name: entry.name, authors: entry.authors, isStale: entry.isStale)
            },
            authors: state.names.known.sorted { $0.key < $1.key }.map { id, known in
                Name(id: id, name: known.name, revision: known.revision)
            })
    }

    /// - Throws: if another version wrote it, or if a name is not one of a file in the folder.
    func state(_ path: String) throws(CommandFailure) -> SyncState {
        guard number == Self.currentFormat else {
            throw CommandFailure(
                .dataError, "\(path) has format \(number), which this version does not know")
        }
        let names = files.map(\.name) + articles.map(\.name)
        guard names.allSatisfy(SyncFileName.isPlain) else {
            throw CommandFailure(.dataError, "\(path) contains an invalid file name")
        }
        var state = SyncState(server: server, filter: filter)
        state.token = token
        for file in files {
            state.files[file.name] = SyncState.File(
                digests: Set(file.digests),
                stamp: FileStamp(
                    sizeBytes: file.sizeBytes, modifiedNanoseconds: file.modifiedNanoseconds))
        }
        for entry in articles {
            state.articles[entry.id] = SyncState.Entry(
                name: entry.name, authors: entry.authors, isStale: entry.isStale)
        }
        let known = authors.map { ($0.id, AuthorNames.Known($0.name, revision: $0.revision)) }
        state.names = AuthorNames(Dictionary(known) { _, last in last })
        return state
    }
}

/// The names of the files that `sync` writes.
enum SyncFileName {
    private static let ending = ".md"
    /// So that a name has at most 255 bytes, with an id and an ending.
    private static let limitBytes = 200

    /// The slug, which consists of letters, digits and hyphens. If it is too long for a file name,
    /// its beginning, `~` and the id; if it is not valid, `~` and the id. No slug contains a `~`.
    /// After a hyphen, programs would expect an option: `~` precedes it.
    static func of(_ article: Article) -> String {
        let slug = article.slug
        guard Slug.fault(slug, isServed: true) == nil else { return "~\(article.id)\(ending)" }
        let prefix = slug.hasPrefix("-") ? "~" : ""
        guard slug.utf8.count > limitBytes else { return prefix + slug + ending }
        var start = prefix
        for character in slug {
            guard start.utf8.count + character.utf8.count <= limitBytes else { break }
            start.append(character)
        }
        return "\(start)~\(article.id)\(ending)"
    }

    /// Returns true for the name of a visible file, not a path.
    static func isPlain(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")) && name.hasSuffix(ending)
            && (1...255).contains(name.utf8.count)
    }
}
