import ArticleAPI
import ArticleAccounts
import ArticleStore

/// The lines of an export that are about people: users, comments and bookmarks.
struct UserLine: JSONModel {
    package var user: ExportedUser

    static let shape = ObjectCodec(
        { (_: String, user: UserRecord, identities: [IdentityRecord]) in
            UserLine(user: ExportedUser(user, identities: identities))
        },
        .required("kind", kind("user"), .kind),
        .required("user", \.user.record, .object(userShape)),
        .required(
            "identities", \.user.identities, .array(of: .object(identityShape), limit: 10_000)))

    /// All attributes of a user in the API, and no secrets.
    private static let userShape = ObjectCodec(
        {
            (
                id: User.ID, displayName: String, name: String, role: User.Role, isDisabled: Bool,
                createdAt: Timestamp, updatedAt: Timestamp, revision: Int
            ) in
            let known = try? AccountName(name)
            var user = UserRecord(
                id: id, name: known?.text ?? name, nameKey: known?.key ?? name,
                displayName: displayName, role: role.name, passwordHash: nil, createdAt: createdAt)
            user.isDisabled = isDisabled
            user.updatedAt = updatedAt
            user.revision = revision
            return user
        },
        .required("id", \.id, .identifier()),
        .required("displayName", \.displayName, .text(.displayName)),
        .required("name", \.name, .text(.accountName)),
        .required("role", \.exportedRole, .text(.userRole)),
        .required("disabled", \.isDisabled, .boolean),
        .required("createdAt", \.createdAt, .timestamp),
        .required("updatedAt", \.updatedAt, .timestamp),
        .required("revision", \.revision, .integer(1...Int.max)))

    private static let identityShape = ObjectCodec(
        IdentityRecord.init,
        .required("issuer", \.issuer, .text(.issued(limitBytes: 2_000))),
        .required("subject", \.subject, .text(.issued(limitBytes: 255))))
}

extension TextCodec where Value == String {
    /// A text about a user from a provider, with the limits of tokens.
    fileprivate static func issued(limitBytes: Int) -> TextCodec {
        let lines = TextCodec.lines(1...limitBytes)
        return TextCodec(
            lines.expectation, lines.schema, parse: lines.parse, print: lines.print,
            fault: { text in
                lines.fault(text)
                    ?? (text.utf8.count > limitBytes ? "is longer than \(limitBytes) bytes" : nil)
            })
    }
}

struct CommentLine: JSONModel {
    package var comment: ArticleComment

    static let shape = ObjectCodec(
        { (_: String, comment: ArticleComment) in CommentLine(comment: comment) },
        .required("kind", kind("comment"), .kind),
        .required("comment", \.comment, ArticleComment.format))
}

struct BookmarkLine: JSONModel {
    var bookmark: ExportedBookmark

    static let shape = ObjectCodec(
        { (_: String, user: User.ID, bookmark: Bookmark) in
            BookmarkLine(bookmark: ExportedBookmark(user: user, bookmark: bookmark))
        },
        .required("kind", kind("bookmark"), .kind),
        .required("user", \.bookmark.user, .identifier()),
        .required("bookmark", \.bookmark.bookmark, Bookmark.format))
}

extension UserRecord {
    fileprivate var exportedRole: User.Role { User.Role(name: role) }
}

extension TextCodec where Value == String {
    /// The name of an account as the backend accepts it at sign-up.
    fileprivate static var accountName: TextCodec {
        let name = userName
        return TextCodec(
            "the name of a user", name.schema, parse: { (try? AccountName($0))?.text },
            print: { $0 })
    }
}
