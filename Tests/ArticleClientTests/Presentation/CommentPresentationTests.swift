import ArticleAPI
import ArticleClient
import Testing

/// Comments and search hits as readers are shown them.
@Suite struct CommentPresentationTests {
    private func comment(
        _ body: String, _ status: ArticleComment.Status = .visible, by name: String? = "Mina",
        html: String? = nil, repliesTo parent: Int64? = nil
    ) throws -> ArticleComment {
        let created = try time("2026-03-02T11:55:00Z")
        return ArticleComment(
            id: ArticleComment.ID(at: created), articleID: Article.ID(at: created),
            parentID: parent.map { ArticleComment.ID(at: Timestamp(milliseconds: $0)) },
            author: name.map {
                User(id: User.ID(at: created), displayName: $0, name: nil, role: nil)
            },
            body: body, bodyHTML: html, status: status, createdAt: created, updatedAt: created)
    }

    private func presented(
        _ comment: ArticleComment, in language: PresentationLanguage = .english,
        now: String = "2026-03-02T12:00:00Z", length: Int = 10_000
    ) throws -> CommentPresentation {
        CommentPresentation(comment, in: language, now: try time(now), excerptLength: length) { _ in
            0
        }
    }

    @Test func `a comment has a writer, a date and a text`() throws {
        let shown = try presented(
            comment("What about *rye*?", html: "<p>What about <em>rye</em>?</p>", repliesTo: 1))
        #expect(shown.authorText == "Mina" && shown.bylineText == "By Mina")
        #expect(shown.dateText == "5 min ago" && shown.isReply && shown.noteText == nil)
        #expect(shown.text == "What about rye?")
        #expect(shown.accessibilityLabel == "Mina, 5 minutes ago, What about rye?")
        #expect(try presented(comment("*Rye*")).text == "Rye")
        #expect(try presented(comment("one two three four"), length: 10).text == "one two…")
    }

    @Test(
        arguments: [
            (.deleted, "This comment was deleted.", "삭제된 댓글입니다."),
            (.hidden, "This comment is hidden.", "숨겨진 댓글입니다."),
            (.unknown("moved"), "This comment is hidden.", "숨겨진 댓글입니다."),
        ] as [(ArticleComment.Status, String, String)])
    func `where only a place is left, a sentence stands there`(
        status: ArticleComment.Status, english: String, korean: String
    ) throws {
        let place = try comment("", status, by: nil)
        let shown = try presented(place)
        #expect(shown.text == english && shown.authorText == nil && shown.noteText == nil)
        #expect(shown.excerptText == nil)
        #expect(try presented(place, in: .korean).text == korean)
        #expect(shown.accessibilityLabel == "5 minutes ago, \(english)")
    }

    @Test func `what only some see is noted`() throws {
        let pending = try presented(comment("Rye?", .pending))
        #expect(pending.text == "Rye?" && pending.noteText == "Waiting for approval")
        #expect(pending.accessibilityLabel == "Mina, 5 minutes ago, Rye?, Waiting for approval")
        let hidden = try presented(comment("Rye?", .hidden), in: .korean)
        #expect(hidden.text == "Rye?" && hidden.noteText == "숨겨진 댓글입니다.")
    }

    @Test func `a writer whose account was deleted is a former user`() throws {
        #expect(try presented(comment("Rye?", by: nil)).authorText == "Former user")
        #expect(try presented(comment("Rye?", by: nil), in: .korean).authorText == "탈퇴한 사용자")
    }

    @Test func `comments that look the same are equal, and none is in the future`() throws {
        let comment = try comment("Rye?")
        let minute = try presented(comment, now: "2026-03-02T12:00:10Z")
        #expect(try presented(comment, now: "2026-03-02T12:00:40Z") == minute)
        #expect(try presented(comment, now: "2026-03-02T12:01:00Z") != minute)
        #expect(try presented(comment, now: "2026-03-02T11:00:00Z").dateText == "Just now")
    }
}
