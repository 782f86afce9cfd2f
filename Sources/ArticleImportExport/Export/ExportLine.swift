package import ArticleAPI
import ArticleAdminAPI
import ArticleServiceCore
package import ArticleStore

/// A line of an export.
///
/// The first is `{"format":"broadsheet-export","version":4}`. It is followed by all users, authors
/// and articles, each in the order of their ids, where an article is followed by its revisions;
/// then by all comments in the order in which they were written, and all bookmarks in the order of
/// their users and articles:
///
///     {"kind":"user","user":{…},"identities":[{"issuer":…,"subject":…}]}
///     {"kind":"author","author":{…}}
///     {"kind":"article","id":…,"aliases":[…],"formerSlugs":[…],
///      "imported":{"path":…,"digest":…,"revision":…}}
///     {"kind":"revision","action":…,"actor":{…},"time":…,"article":{…}}
///     {"kind":"comment","comment":{…}}
///     {"kind":"bookmark","user":…,"bookmark":{…}}
///
/// Users, authors, articles, actors, comments and bookmarks have the same JSON as in the API. In
/// version 1, a revision has no actor, but perhaps the name of an `editor`; before version 3, a
/// scheduled article has the status `published` and a time in the future (`ExportRecordReader`).
///
/// The last line counts the others, so that a truncated export is not mistaken for a complete one:
/// `{"kind":"end","users":…,"authors":…,"articles":…,"revisions":…,"comments":…,"bookmarks":…}`.
package enum ExportLine: Sendable {
    case record(ExportRecord)
    case end(ExportCounts)

    /// Strictly parses any line after the first; `nil` for an unknown kind.
    package init?(
        _ value: JSONValue, version: Int = ExportHeader.version
    ) throws(LineFault) {
        guard case .object(let members) = value,
            let kind = members.first(where: { $0.name == "kind" })?.value
        else { throw LineFault(reason: "$.kind is missing") }
        do throws(InvalidValue) {
            switch kind {
            case .string("user"): self = .record(.user(try UserLine(strict: value).user))
            case .string("author"): self = .record(.author(try AuthorLine(strict: value).author))
            case .string("article"):
                self = .record(.article(try ArticleLine(strict: value).article))
            case .string("revision"):
                self = .record(
                    .revision(
                        version == 1
                            ? try FirstRevisionLine(strict: value).revision
                            : try RevisionLine(strict: value).revision))
            case .string("comment"):
                self = .record(.comment(try CommentLine(strict: value).comment))
            case .string("bookmark"):
                self = .record(.bookmark(try BookmarkLine(strict: value).bookmark))
            case .string("end"): self = .end(try ExportCounts(strict: value))
            default: return nil
            }
        } catch { throw LineFault(error) }
    }

    /// The line including its line feed.
    package var bytes: [UInt8] {
        var bytes =
            switch self {
            case .record(.user(let user)): UserLine(user: user).json()
            case .record(.author(let author)): AuthorLine(author: author).json()
            case .record(.article(let article)): ArticleLine(article: article).json()
            case .record(.revision(let revision)):
                RevisionLine(revision: revision)
                    .json(capacity: 2_048 + (revision.article.body?.utf8.count ?? 0))
            case .record(.comment(let comment)): CommentLine(comment: comment).json()
            case .record(.bookmark(let bookmark)): BookmarkLine(bookmark: bookmark).json()
            case .end(let counts): counts.json()
            }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}

private struct AuthorLine: JSONModel {
    package var author: Author

    static let shape = ObjectCodec(
        { (_: String, author: Author) in AuthorLine(author: author) },
        .required("kind", kind("author"), .kind),
        .required("author", \.author, Author.format))
}

private struct ArticleLine: JSONModel {
    package var article: ExportedArticle

    static let shape = ObjectCodec(
        {
            (
                _: String, id: Article.ID, aliases: [String], formerSlugs: [String]?,
                imported: ExportedArticle.ImportMark?
            ) in
            ArticleLine(
                article: ExportedArticle(
                    id: id, aliases: aliases, formerSlugs: formerSlugs ?? [], imported: imported))
        },
        .required("kind", kind("article"), .kind),
        .required("id", \.article.id, .identifier()),
        .required("aliases", \.article.aliases, slugs),
        .optional("formerSlugs", \.knownFormerSlugs, slugs),
        .optional("imported", \.article.imported, .object(mark)))

    private static let slugs = JSONCodec<[String]>.array(of: .text(.servedSlug), limit: 1_000_000)
    private var knownFormerSlugs: [String]? {
        article.formerSlugs.isEmpty ? nil : article.formerSlugs
    }

    private static let mark = ObjectCodec(
        ExportedArticle.ImportMark.init,
        .required("path", \.path, .text(.lines(limitBytes: ImportItem.limitPathBytes))),
        .required("digest", \.digest, .text(.digest)),
        .required("revision", \.revision, .integer(1...Int.max)))
}

private struct RevisionLine: JSONModel {
    var revision: ExportedRevision

    static let shape = ObjectCodec(
        {
            (
                _: String, action: Revision.Action, actor: Revision.Actor, time: Timestamp,
                article: Article
            ) in
            RevisionLine(
                revision: ExportedRevision(
                    action: action, actor: actor, time: time, article: article))
        },
        .required("kind", kind("revision"), .kind),
        .required("action", \.revision.action, .text(.action)),
        .required("actor", \.revision.actor, Revision.Actor.format),
        .required("time", \.revision.time, .timestamp),
        .required("article", \.revision.article, Article.format))
}

/// A revision in version 1.
private struct FirstRevisionLine: JSONModel {
    var revision: ExportedRevision

    static let shape = ObjectCodec(
        {
            (_: String, action: Revision.Action, editor: String?, time: Timestamp, article: Article)
            in
            FirstRevisionLine(
                revision: ExportedRevision(
                    action: action, actor: Revision.Actor(kind: .unrecorded, name: editor),
                    time: time, article: article))
        },
        .required("kind", kind("revision"), .kind),
        .required("action", \.revision.action, .text(.action)),
        .optional("editor", \.revision.actor.name, .text(.line(1...200))),
        .required("time", \.revision.time, .timestamp),
        .required("article", \.revision.article, Article.format))
}

/// A getter that returns the same `kind` for every line of a model.
func kind<Model>(_ name: String) -> @Sendable (Model) -> String {
    { _ in name }
}

extension JSONCodec where Value == String {
    /// The kind of a line.
    static var kind: JSONCodec { .text(.line(1...16)) }
}

extension TextCodec where Value == [UInt8] {
    /// A SHA-256 digest in hexadecimal.
    package static var digest: TextCodec {
        TextCodec(
            "64 hexadecimal digits", .text(TextSchema(.token, length: 64...64)),
            parse: { text in
                text.utf8.count == 64 ? ByteText.bytes(hexadecimal: text) : nil
            }, print: ByteText.hexadecimal)
    }
}

/// The format of a file according to its first line, if it is an export.
enum ExportHeader: Sendable, Hashable {
    case known(version: Int)
    /// Another format or a newer version; the reason why it cannot be read.
    case unknown(String)

    static let format = "broadsheet-export"
    /// Version 1 has the names of editors instead of actors. Version 2 has neither the status
    /// `scheduled` nor the system as an actor. In version 3, articles do not say whether readers
    /// may comment, or who owns them; there are no users, comments and bookmarks, and no actor is a
    /// source.
    static let version = 4

    /// The line including its line feed.
    package static var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("format")
            writer.string(format)
            writer.name("version")
            writer.integer(version)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// `nil` unless the line is an object with a `format`, which no article has.
    init?(_ line: LineReader.Line) {
        guard let value = try? line.json().value, case .object(let members) = value,
            let format = members.first(where: { $0.name == "format" })?.value
        else { return nil }
        guard format == .string(Self.format) else {
            self = .unknown("$.format is not \"\(Self.format)\"")
            return
        }
        let version = members.first { $0.name == "version" }?.value
        guard case .number(let number)? = version, let number = number.integer, number > 0 else {
            self = .unknown("$.version is not a version of an export")
            return
        }
        self =
            number <= Self.version
            ? .known(version: Int(number))
            : .unknown(
                "the export has version \(number); broadsheet supports up to \(Self.version)")
    }
}
