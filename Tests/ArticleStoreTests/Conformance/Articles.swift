import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Articles {
        @Test(arguments: Engine.all)
        func `a new article is read as it was created`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = Article.ID.make()
                let content = ArticleContent.sample(
                    "한글", slug: .exactly("한글"), body: "본문", language: "ko",
                    authors: [.name("Ann"), .name("Bo")], tags: ["Food", "Home"], source: "Wire")
                let made = try await store.createArticle(id, content, by: .first)
                #expect(made.id == id && made.slug == "한글" && made.body == "본문")
                #expect(made.authors.map(\.name) == ["Ann", "Bo"])
                #expect(made.tags.map(\.name) == ["Food", "Home"])
                #expect(made.createdAt == .start && made.updatedAt == .start && made.revision == 1)
                #expect(
                    made.heroImage == content.draft.heroImage && made.source == content.draft.source
                )
                #expect(try await store.article(.id(id), visibleTo: .editors) == made)
                #expect(try await store.article(.slug("한글"), visibleTo: .editors) == made)
                #expect(try await store.revision(1, of: id) == made)
            }
        }

        @Test(arguments: Engine.all)
        func `an id is never reused, even after a deletion`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = Article.ID.make()
                _ = try await store.createArticle(id, .sample(), by: .first)
                for _ in 1...2 {
                    let error = try await failure {
                        _ = try await store.createArticle(id, .sample("Other"), by: .first)
                    }
                    guard case .idTaken = error else { throw error }
                    try? await store.deleteArticle(id, expecting: .anything, by: .first)
                }
                #expect(try await store.changeSequence() == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `the public sees published articles that are due, and nothing else`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                func make(
                    _ title: String, _ status: Article.Status, _ time: Timestamp?
                ) async throws -> Article {
                    try await store.createArticle(
                        .make(), .sample(title, status: status, at: time), by: .first)
                }
                let due = try await make("due", .published, .start)
                let later = try await make("later", .scheduled, .start + 1)
                let draft = try await make("draft", .draft, nil)
                let archived = try await make("archived", .archived, .start)
                let gone = try await make("gone", .published, .start)
                try await store.deleteArticle(gone.id, expecting: .anything, by: .first)

                func visible(_ audience: Audience) async throws -> Set<Article.ID> {
                    var seen: Set<Article.ID> = []
                    for article in [due, later, draft, archived, gone] {
                        for key in [Article.Key.id(article.id), .slug(article.slug)] {
                            let found = try? await store.article(key, visibleTo: audience)
                            if found != nil { seen.insert(article.id) }
                        }
                    }
                    let page = try await store.articles(
                        ArticleQuery(audience: audience))
                    #expect(Set(page.items.map(\.id)) == seen)
                    return seen
                }
                #expect(try await visible(.everyone) == [due.id])
                #expect(
                    try await visible(.editors) == [due.id, later.id, draft.id, archived.id])
                #expect(try await store.articleCount() == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `an update creates one revision, and equal content none`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(authors: [.name("Ann")], tags: ["Food"]), by: .first)
                let changed = try await store.updateArticle(
                    made.id, expecting: .version(made), by: .later(10)
                ) { article in .of(article) { $0.draft.body = "New" } }
                #expect(changed.revision == 2 && changed.body == "New")
                #expect(changed.createdAt == .start && changed.updatedAt == .start + 10)
                let same = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(20)
                ) { article in
                    .of(article) {
                        $0.draft.authors = [.name("Ann"), .name("Ann")]
                        $0.tags = [ArticleTag(key: "food", name: "FOOD")]
                    }
                }
                #expect(same == changed)
                #expect(try await store.revision(1, of: made.id) == made)
                #expect(try await store.changeSequence() == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `times of an article never decrease`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .later(100))
                let changed = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(50)
                ) { article in .of(article) { $0.draft.title = "Earlier" } }
                #expect(changed.updatedAt == .start + 100)
            }
        }

        @Test(arguments: Engine.all)
        func `a write with an unmet precondition changes nothing`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                for expectation in [Precondition.versions(["1-000000", "2-000000"]), .nothing] {
                    let error = try await failure {
                        _ = try await store.updateArticle(
                            made.id, expecting: expectation, by: .first
                        ) { article in .of(article) { $0.draft.title = "No" } }
                    }
                    guard case .preconditionFailed(current: 1) = error else { throw error }
                    let other = try await failure {
                        try await store.deleteArticle(made.id, expecting: expectation, by: .first)
                    }
                    guard case .preconditionFailed(current: 1) = other else { throw other }
                }
                #expect(try await store.article(.id(made.id), visibleTo: .editors) == made)
                #expect(try await store.changeSequence() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `missing articles cannot be changed, deleted or restored`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let errors = [
                    try await failure {
                        _ = try await store.updateArticle(
                            .make(), expecting: .anything, by: .first
                        ) { .of($0) }
                    },
                    try await failure {
                        try await store.deleteArticle(.make(), expecting: .existing, by: .first)
                    },
                    try await failure {
                        _ = try await store.restoreArticle(
                            .make(), to: 1, expecting: .anything, by: .first)
                    },
                    try await failure {
                        _ = try await store.revisions(of: .make(), below: nil, limit: 5)
                    },
                    try await failure { _ = try await store.revision(1, of: .make()) },
                ]
                for error in errors { guard case .notFound = error else { throw error } }
            }
        }

        @Test(arguments: Engine.all)
        func `an update that does not fit the article changes nothing`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                let error = try await failure {
                    let changes = Article.Changes(
                        status: .set(.scheduled), publishedAt: .set(.start))
                    _ = try await store.updateArticle(
                        made.id, ArticleUpdate(.changes(changes)), expecting: .anything,
                        by: .first)
                }
                guard case .invalid(let details) = error else { throw error }
                #expect(details.map(\.place) == [.pointer("/publishedAt")])
                #expect(try await store.changeSequence() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `large text and awkward characters survive`(_ engine: Engine) async throws {
            try await engine.with { store in
                let body = String(repeating: "한 \u{0} \u{1F469}\u{200D}\u{1F680}\n", count: 100_000)
                let made = try await store.createArticle(
                    .make(), .sample("", slug: .keep, body: body), by: .first)
                let read = try await store.article(.id(made.id), visibleTo: .editors)
                #expect(read.body.map { $0.utf8.elementsEqual(body.utf8) } == true)
                #expect(read.slug == made.id.description && read.title == "")
            }
        }
    }
}
