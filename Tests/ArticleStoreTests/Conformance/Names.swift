import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Names {
        @Test(arguments: Engine.all)
        func `an author's name finds the oldest one with it, or creates one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                func put(_ id: Author.ID, at time: Timestamp) async throws {
                    let put = try await store.putAuthor(
                        id, Author.Replacement(name: "Ann"), expecting: .nothing,
                        by: Edit(at: time, by: .operator))
                    #expect(put.isNew && put.author.revision == 1)
                }
                let younger = Author.ID.make()
                let older = Author.ID.make()
                try await put(younger, at: .start + 5)
                try await put(older, at: .start)
                let made = try await store.createArticle(
                    .make(), .sample(authors: [.name("Ann"), .name("Bo")]), by: .later(9))
                #expect(made.authors.first?.id == older)
                let bo = try #require(made.authors.last)
                let author = try await store.author(bo.id, visibleTo: .editors)
                #expect(author.name == "Bo" && author.createdAt == .start + 9)
                #expect(try await store.changeSequence() == 6)
                let changes = try await store.changes(after: 2, limit: 9)
                // Both authors are public from here on.
                #expect(
                    changes.map(\.subject) == [
                        .author(bo.id), .article(made.id), .author(older), .author(bo.id),
                    ])
                #expect(changes.map(\.sequence) == [3, 4, 5, 6])
            }
        }

        @Test(arguments: Engine.all)
        func `an author referenced by id must exist and have the given name`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let id = Author.ID.make()
                let unknown = try await failure {
                    _ = try await store.createArticle(
                        .make(), .sample(authors: [.name("Bo"), .id(id, name: nil)]), by: .first)
                }
                guard case .unknownAuthor(index: 1, id) = unknown else { throw unknown }
                _ = try await store.putAuthor(
                    id, Author.Replacement(name: "Ann"), expecting: .anything,
                    by: Edit(at: .start, by: .operator))
                let differs = try await failure {
                    _ = try await store.createArticle(
                        .make(), .sample(authors: [.id(id, name: "Eve")]), by: .first)
                }
                guard case .authorDiffers(index: 0, name: "Ann") = differs else { throw differs }
                let made = try await store.createArticle(
                    .make(), .sample(authors: [.id(id, name: "Ann")]), by: .first)
                #expect(made.authors == [Author.Reference(id: id, name: "Ann", revision: 1)])
                #expect(try await store.changeSequence() == 3)
            }
        }

        @Test(arguments: Engine.all)
        func `names of a write that was rolled back are created again`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let unknown = Author.ID.make()
                _ = try await failure {
                    _ = try await store.createArticle(
                        .make(),
                        .sample(
                            authors: [.name("Bo"), .id(unknown, name: nil)], tags: ["Rye"]),
                        by: .first)
                }
                let articles = [Article.ID.make(), .make()]
                for (id, slug) in zip(articles, ["one", "two"]) {
                    let made = try await store.createArticle(
                        id,
                        .sample(
                            slug: .exactly(slug), authors: [.name("Bo")], tags: ["Rye"]),
                        by: .first)
                    let kept = try await store.article(.id(id), visibleTo: .editors)
                    #expect(made == kept && kept.tags.map(\.name) == ["Rye"])
                    #expect(kept.authors.map(\.name) == ["Bo"])
                }
                let authors = try await store.authors(after: nil, limit: 9, visibleTo: .editors)
                #expect(authors.items.map(\.name) == ["Bo"])
            }
        }

        @Test(arguments: Engine.all)
        func `an author's new name shows in the articles`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(authors: [.name("Ann")]), by: .first)
                let id = try #require(made.authors.first?.id)
                let before = try await store.article(.id(made.id), visibleTo: .editors)
                #expect(before.authors.map(\.name) == ["Ann"])
                let author = try await store.author(id, visibleTo: .editors)
                let put = try await store.putAuthor(
                    id, Author.Replacement(name: "Anna", about: "Bakes"),
                    expecting: .version(author), by: Edit(at: .start + 5, by: .operator))
                #expect(!put.isNew && put.author.revision == 2)
                #expect(put.author.createdAt == .start && put.author.updatedAt == .start + 5)
                let again = try await store.putAuthor(
                    id, Author.Replacement(name: "Anna", about: "Bakes"), expecting: .existing,
                    by: Edit(at: .start + 9, by: .operator))
                #expect(again.author == put.author)
                let read = try await store.article(.id(made.id), visibleTo: .editors)
                #expect(read.authors.map(\.name) == ["Anna"] && read.revision == 1)
                #expect(try await store.changeSequence() == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `replacing an author checks the precondition`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = Author.ID.make()
                func put(_ expectation: Precondition) async throws {
                    _ = try await store.putAuthor(
                        id, Author.Replacement(name: "Ann"), expecting: expectation,
                        by: Edit(at: .start, by: .operator))
                }
                for expectation in [Precondition.existing, .versions(["1-000000"])] {
                    let error = try await failure { try await put(expectation) }
                    guard case .preconditionFailed(current: nil) = error else { throw error }
                }
                try await put(.nothing)
                for expectation in [Precondition.nothing, .versions(["1-000000"])] {
                    let error = try await failure { try await put(expectation) }
                    guard case .preconditionFailed(current: 1) = error else { throw error }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `the public only sees authors of public articles, in pages`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(
                    .make(), .sample(authors: [.name("Ann"), .name("Bo")]), by: .first)
                _ = try await store.createArticle(
                    .make(), .sample(authors: [.name("Cy")], status: .draft), by: .later(1))
                _ = try await store.createArticle(
                    .make(), .sample(authors: [.name("Di")], status: .scheduled, at: .start + 9),
                    by: .later(2))
                func names(_ audience: Audience) async throws -> Set<String> {
                    var names: Set<String> = []
                    var next: Author.ID?
                    repeat {
                        let page = try await store.authors(
                            after: next, limit: 1, visibleTo: audience)
                        #expect(page.items.count <= 1)
                        names.formUnion(page.items.map(\.name))
                        next = page.next
                    } while next != nil
                    return names
                }
                #expect(try await names(.everyone) == ["Ann", "Bo"])
                _ = try await store.publishDueArticles(at: .start + 9, limit: 1)
                #expect(try await names(.everyone) == ["Ann", "Bo", "Di"])
                #expect(try await names(.editors) == ["Ann", "Bo", "Cy", "Di"])
            }
        }

        @Test(arguments: Engine.all)
        func `tag counts depend on the audience`(_ engine: Engine) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(.make(), .sample(tags: ["Food"]), by: .first)
                let second = try await store.createArticle(
                    .make(),
                    .sample(tags: ["food", "Home"], status: .scheduled, at: .start + 9),
                    by: .first)
                _ = try await store.createArticle(
                    .make(), .sample(tags: ["Draft"], status: .draft), by: .first)
                func counts(_ audience: Audience) async throws -> [String: Int] {
                    var counts: [String: Int] = [:]
                    var next: String?
                    repeat {
                        let page = try await store.tags(
                            after: next, limit: 1, visibleTo: audience)
                        for item in page.items { counts[item.tag.name] = item.articleCount }
                        next = page.next
                    } while next != nil
                    return counts
                }
                #expect(try await counts(.everyone) == ["Food": 1])
                _ = try await store.publishDueArticles(at: .start + 9, limit: 1)
                #expect(try await counts(.everyone) == ["Food": 2, "Home": 1])
                #expect(try await counts(.editors) == ["Food": 2, "Home": 1, "Draft": 1])
                try await store.deleteArticle(second.id, expecting: .anything, by: .first)
                #expect(try await counts(.editors) == ["Food": 1, "Draft": 1])
            }
        }
    }
}
