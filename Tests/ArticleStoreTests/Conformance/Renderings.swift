import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Renderings {
        private static let html = BodyHTML(renderer: "r1", html: "<p>Flour</p>")

        private static func kept(
            _ store: any ArticleStore, _ article: Article, by renderer: String = "r1"
        ) async throws -> BodyHTML? {
            try await store.bodyHTML(of: [article], by: renderer)[0]
        }

        @Test(arguments: Engine.all)
        func `a rendered body is stored for its renderer only`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var content = ArticleContent.sample()
                content.bodyHTML = Self.html
                let made = try await store.createArticle(.make(), content, by: .first)
                #expect(made.bodyHTML == nil)
                #expect(try await Self.kept(store, made) == Self.html)
                #expect(try await Self.kept(store, made, by: "r2") == nil)
                // A new title keeps the rendered body; a new body has none yet.
                let titled = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(1)
                ) { .of($0) { $0.draft.title = "Cake" } }
                #expect(try await Self.kept(store, titled) == Self.html)
                let other = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(2)
                ) { .of($0) { $0.draft.body = "Sugar." } }
                // The text that it had needs its rendering no more.
                #expect(try await store.bodyHTML(of: [titled, other], by: "r1") == [nil, nil])
            }
        }

        @Test(arguments: Engine.all)
        func `only the text that an article has keeps its HTML`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var content = ArticleContent.sample()
                content.bodyHTML = Self.html
                let made = try await store.createArticle(.make(), content, by: .first)
                let edited = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(1)
                ) { .of($0) { $0.draft.body = "Sugar." } }
                // A reader of the history does not bring it back.
                try await store.keepBodyHTML(Self.html, of: made.id, revision: 1)
                #expect(try await Self.kept(store, made) == nil)
                try await store.keepBodyHTML(Self.html, of: made.id, revision: 2)
                #expect(try await Self.kept(store, edited) == Self.html)
                let restored = try await store.restoreArticle(
                    made.id, to: 1, expecting: .anything, by: .later(2))
                #expect(try await store.bodyHTML(of: [edited, restored], by: "r1") == [nil, nil])
                // The first revision has the same text as the present one.
                try await store.keepBodyHTML(Self.html, of: made.id, revision: 1)
                #expect(try await Self.kept(store, restored) == Self.html)
                try await store.deleteArticle(made.id, expecting: .anything, by: .later(3))
                #expect(try await Self.kept(store, restored) == nil)
                try await store.keepBodyHTML(Self.html, of: made.id, revision: 3)
                #expect(try await Self.kept(store, restored) == nil)
            }
        }

        @Test(arguments: Engine.all)
        func `storing HTML later does not change the article`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                let sequence = try await store.changeSequence()
                try await store.keepBodyHTML(Self.html, of: made.id, revision: 1)
                #expect(try await Self.kept(store, made) == Self.html)
                let rejected = BodyHTML(renderer: "r2", html: nil)
                try await store.keepBodyHTML(rejected, of: made.id, revision: 1)
                #expect(try await Self.kept(store, made) == nil)
                #expect(try await Self.kept(store, made, by: "r2") == rejected)
                #expect(try await store.article(.id(made.id), visibleTo: .editors) == made)
                #expect(try await store.changeSequence() == sequence)
                let error = try await failure {
                    try await store.keepBodyHTML(Self.html, of: made.id, revision: 2)
                }
                guard case .notFound = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `HTML is not part of an export`(_ engine: Engine) async throws {
            try await engine.with { store in
                var content = ArticleContent.sample()
                content.bodyHTML = Self.html
                let made = try await store.createArticle(.make(), content, by: .first)
                try await store.export { record in
                    guard case .revision(let revision) = record else { return }
                    #expect(revision.article == made.unversioned && made.bodyHTML == nil)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `HTML of a comment is stored with its text alone`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                func kept(_ comment: ArticleComment) async throws -> BodyHTML? {
                    try await store.bodyHTML(of: [comment], by: "r1")[0]
                }
                let content = CommentContent(
                    article: thread.article, body: "one", bodyHTML: Self.html,
                    writer: thread.ada.id)
                let made = try await store.createComment(
                    .make(), content, under: .giving(.visible), by: .later(1))
                #expect(try await kept(made) == Self.html)
                #expect(try await store.bodyHTML(of: [made], by: "r2") == [nil])
                let hidden = try await thread.set(made.id, .hidden)
                #expect(try await kept(hidden) == Self.html)
                // That of another revision may have another text.
                #expect(try await kept(made) == nil)
                let sequence = try await store.changeSequence()
                let other = BodyHTML(renderer: "r1", html: "<p>1</p>")
                try await store.keepBodyHTML(other, of: hidden)
                #expect(try await kept(hidden) == other)
                #expect(try await store.changeSequence() == sequence)

                func edit(_ body: String, _ html: BodyHTML?) async throws -> ArticleComment {
                    try await store.updateComment(
                        made.id, ArticleComment.Changes(body: .set(body)), html: html,
                        under: CommentRules(), expecting: .anything,
                        as: thread.viewer(thread.ada), by: .later(9))
                }
                _ = try await thread.set(made.id, .visible)
                #expect(try await kept(edit("two", Self.html)) == Self.html)
                let edited = try await edit("three", nil)
                #expect(try await kept(edited) == nil)
                try await store.keepBodyHTML(Self.html, of: made)
                #expect(try await kept(edited) == nil)
                try await store.keepBodyHTML(Self.html, of: edited)
                #expect(try await kept(edited) == Self.html)
                try await thread.delete(made.id, as: thread.viewer(thread.ada))
                let place = try await store.comments(CommentQuery(status: .deleted)).items[0]
                #expect(try await kept(place) == nil)
            }
        }
    }
}
