import ArticleAPI
import ArticleStore
import Testing

@testable import ArticleResources
@testable import ArticleServices

/// The readers that read after a commit.
@Suite struct AffectedAudiencesTests {
    private static let article = Article.ID(at: CommentFixture.opening)
    private static let other = Article.ID(at: CommentFixture.opening)
    private static let user = User.ID(at: CommentFixture.opening)
    private static let queries: [(name: String, query: ChangeQuery)] = [
        ("public", query(.everyone, SyncKind.content)), ("editors", query(.editors, [.author])),
        ("author", query(.author(user), [.article])),
        ("thread", query(.everyone, [.comment], on: article)),
        ("reader's thread", query(.everyone, [.comment], on: article, of: user)),
        ("other thread", query(.editors, [.comment], on: other)),
        ("bookmarks", query(.everyone, [.bookmark], of: user)),
        ("other bookmarks", query(.everyone, [.bookmark], of: User.ID(at: CommentFixture.opening))),
        ("all", query(.everyone, [.article, .comment, .bookmark], on: article, of: user)),
    ]

    private static func query(
        _ audience: Audience, _ kinds: Set<SyncKind>, on article: Article.ID? = nil,
        of user: User.ID? = nil
    ) -> ChangeQuery {
        var query = ChangeQuery(audience: audience)
        query.kinds = kinds
        query.article = article
        query.user = user
        return query
    }

    private func concerned(_ audiences: AffectedAudiences) -> [String] {
        Self.queries.filter { audiences.affects($0.query) }.map(\.name)
    }

    private func audiences(
        _ subject: ChangeRecord.Subject, isPublic: Bool, of user: User.ID? = nil
    ) -> AffectedAudiences {
        let record = ChangeRecord(
            sequence: 1, subject: subject, revision: 1, isDeletion: false, isPublic: isPublic,
            bookmarker: user)
        return AffectedAudiences(CommitChanges(sequence: 1, records: [record]))
    }

    @Test func `a comment only concerns those who follow its article's comments and may see it`() {
        for isPublic in [false, true] {
            let comment = ChangeRecord.Subject.comment(
                ArticleComment.ID(at: CommentFixture.opening), on: Self.article)
            let everyone = isPublic ? ["thread"] : []
            #expect(
                concerned(audiences(comment, isPublic: isPublic))
                    == everyone + ["reader's thread", "all"])
        }
    }

    @Test func `a bookmark only concerns its user`() {
        let bookmark = ChangeRecord.Subject.bookmark(Self.article)
        #expect(
            concerned(audiences(bookmark, isPublic: false, of: Self.user)) == ["bookmarks", "all"])
    }

    @Test func `an article concerns who sees it, and who follows its comments`() {
        let article = ChangeRecord.Subject.article(Self.article)
        #expect(
            concerned(audiences(article, isPublic: true))
                == ["public", "editors", "author", "thread", "reader's thread", "all"])
        #expect(
            concerned(audiences(article, isPublic: false))
                == ["editors", "author", "reader's thread", "all"])
        let author = ChangeRecord.Subject.author(Author.ID(at: CommentFixture.opening))
        #expect(concerned(audiences(author, isPublic: false)) == ["editors", "author"])
    }

    @Test func `unlisted changes, and those of very many articles, concern all`() {
        let names = Self.queries.map(\.name)
        #expect(concerned(AffectedAudiences(CommitChanges(sequence: 1, records: nil))) == names)
        var many = AffectedAudiences.nobody
        #expect(concerned(many).isEmpty)
        for _ in 0...10_000 {
            let id = Article.ID(at: CommentFixture.opening)
            many.add(
                audiences(
                    .comment(ArticleComment.ID(at: CommentFixture.opening), on: id), isPublic: true)
            )
        }
        #expect(concerned(many) == Array(names[3...]))
    }
}
