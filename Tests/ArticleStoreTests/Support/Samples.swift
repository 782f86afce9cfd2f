import ArticleAPI
import ArticleStore

extension ArticleContent {
    /// Sample content: published at `time`, with a slug like its title's.
    static func sample(
        _ title: String = "Bread", slug: SlugChoice? = nil, body: String = "Flour and water.",
        language: String = "en", authors: [Author.Mention] = [], tags: [String] = [],
        status: Article.Status = .published, at time: Timestamp? = .start,
        source: String? = nil
    ) -> ArticleContent {
        ArticleContent(
            Article.Draft(
                title: title, summary: "About \(title)", body: body, language: language,
                authors: authors, tags: tags,
                heroImage: Article.HeroImage(
                    url: "https://example.org/a.png", alternativeText: "A loaf"),
                status: status, publishedAt: time,
                source: source.map { Article.Source(name: $0, url: nil) }),
            slug: slug ?? .like(title.lowercased()),
            measure: TextMeasure(words: 3, readingMinutes: 1))
    }

    /// The content of an article with changes; keeps the slug.
    static func of(
        _ article: Article, _ change: (inout ArticleContent) -> Void = { _ in }
    ) -> ArticleContent {
        var content = ArticleContent(
            article.draft, slug: .keep,
            measure: TextMeasure(
                words: article.wordCount, readingMinutes: article.readingMinutes))
        change(&content)
        return content
    }
}

extension Timestamp {
    /// 2026-01-01T00:00:00Z, the time of most tests.
    static let start = Timestamp(milliseconds: 1_767_225_600_000)

    static func + (time: Timestamp, milliseconds: Int64) -> Timestamp {
        time.advanced(byMilliseconds: milliseconds)
    }
}

extension Edit {
    static let first = Edit(at: .start, by: .key(id: "editor"))

    static func later(_ milliseconds: Int64) -> Edit {
        Edit(at: .start + milliseconds, by: .key(id: "editor"))
    }

    /// An edit by a user with the role `author`.
    static func author(_ user: UserRecord, _ milliseconds: Int64 = 0) -> Edit {
        Edit(at: .start + milliseconds, by: .user(user.id), as: .author(user.id))
    }
}

extension Identifier {
    /// A new id at the sample time.
    static func make() -> Identifier { Identifier(at: .start) }
}

extension Article {
    /// Without its version, which is different in each database.
    var unversioned: Article {
        var article = self
        article.version = nil
        return article
    }
}

extension Precondition {
    /// Returns the precondition that this article equals the earlier one.
    static func version(_ article: Article) -> Precondition { .versions([article.version ?? ""]) }

    /// Returns the precondition that this author equals the earlier one.
    static func version(_ author: Author) -> Precondition { .versions([author.version ?? ""]) }
}

extension UserRecord {
    /// A user with a password, whose name is its own folded form.
    static func sample(
        _ name: String = "ada", id: UserRecord.ID = .make(), role: String = "reader",
        at time: Timestamp = .start
    ) -> UserRecord {
        UserRecord(
            id: id, name: name, nameKey: name, displayName: "User \(name)", role: role,
            passwordHash: "$argon2id$\(name)", createdAt: time)
    }
}

extension IdentityRecord {
    static func sample(
        _ subject: String, of issuer: String = "https://id.example.org"
    ) -> IdentityRecord {
        IdentityRecord(issuer: issuer, subject: subject)
    }
}

extension TokenRecord {
    /// Tokens with digests of this byte, which expire after 10 and 1,000 milliseconds.
    static func sample(_ byte: UInt8, at time: Timestamp = .start) -> TokenRecord {
        TokenRecord(
            accessDigest: [UInt8](repeating: byte, count: 32), refreshDigest: .refresh(byte),
            accessExpiresAt: time + 10, expiresAt: time + 1_000)
    }
}

extension SessionRecord {
    /// A session whose id is made of the number.
    static func sample(
        _ number: Int, of user: UserRecord, at time: Timestamp = .start
    ) -> SessionRecord {
        SessionRecord(
            id: .session(number), user: user.id, tokens: .sample(UInt8(number & 0x7F), at: time),
            device: "Phone \(number)", address: "203.0.113.7", createdAt: time)
    }
}

extension String {
    /// The 16-character id of a sample session.
    static func session(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension [UInt8] {
    /// The digest of the sample refresh token of this byte.
    static func refresh(_ byte: UInt8) -> [UInt8] { [byte, 1] + Self(repeating: byte, count: 30) }
}

extension InvitationRecord {
    /// An invitation as an author, which expires after 100 milliseconds.
    static func sample(_ number: Int, at time: Timestamp = .start) -> InvitationRecord {
        InvitationRecord(
            id: "i\(number)",
            digest: [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 7, count: 30),
            role: "author", createdBy: "k7", createdAt: time, expiresAt: time + 100)
    }
}
