import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Imports {
        private static func item(
            _ path: String, digest: UInt8 = 1, _ content: ArticleContent
        ) -> ImportItem {
            ImportItem(
                path: path, digest: [UInt8](repeating: digest, count: 32), id: .make(),
                content: content)
        }

        private static func outcomes(
            _ store: any ArticleStore, _ items: [ImportItem], at milliseconds: Int64 = 0,
            dryRun: Bool = false
        ) async throws -> [ImportOutcome] {
            try await store.importArticles(
                items, by: Edit(at: .start + milliseconds, by: .operator), dryRun: dryRun
            ).map { try $0.get() }
        }

        @Test(arguments: Engine.all)
        func `a second import of the same files changes nothing`(_ engine: Engine) async throws {
            try await engine.with { store in
                let items = [Self.item("a.md", .sample("A")), Self.item("b.md", .sample("B"))]
                let outcomes = try await Self.outcomes(store, items)
                #expect(outcomes == [.created, .created])
                let again = items.map { Self.item($0.path, $0.content) }
                #expect(try await Self.outcomes(store, again) == [.unchanged, .unchanged])
                #expect(try await store.changeSequence() == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `a changed file updates an imported article, but never an edited one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let first = Self.item("a.md", .sample("A"))
                _ = try await Self.outcomes(store, [first])
                let second = Self.item("a.md", digest: 2, .sample("A", body: "More"))
                #expect(try await Self.outcomes(store, [second], at: 1) == [.updated])
                let updated = try await store.article(.id(first.id), visibleTo: .editors)
                #expect(updated.body == "More" && updated.revision == 2)
                let same = Self.item("a.md", digest: 3, .sample("A", body: "More"))
                #expect(try await Self.outcomes(store, [same], at: 2) == [.unchanged])

                let edited = try await store.updateArticle(
                    first.id, expecting: .anything, by: .later(3)
                ) { article in .of(article) { $0.draft.title = "Edited" } }
                let third = Self.item("a.md", digest: 4, .sample("A", body: "Even more"))
                #expect(try await Self.outcomes(store, [third], at: 4) == [.keptEdits])
                #expect(try await store.article(.id(first.id), visibleTo: .editors) == edited)
            }
        }

        @Test(arguments: Engine.all)
        func `an article that was deleted stays so, until it is to be restored`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let item = Self.item("a.md", .sample("A", slug: .exactly("a"), tags: ["One"]))
                _ = try await Self.outcomes(store, [item])
                try await store.deleteArticle(item.id, expecting: .anything, by: .later(5))
                var changed = Self.item("a.md", digest: 2, .sample("A2", slug: .exactly("a")))
                // Another file names the same article by its id.
                var other = Self.item("b.md", .sample("B"))
                other.id = item.id
                let items = [item, changed, other]
                let deleted = ImportOutcome.deleted(.start + 5)
                #expect(
                    try await Self.outcomes(store, items, at: 6) == [deleted, deleted, deleted])
                #expect(try await store.changeSequence() == 2)

                changed.restoresDeleted = true
                let trial = try await Self.outcomes(store, [changed], at: 7, dryRun: true)
                #expect(trial == [.restored])
                #expect(try await Self.outcomes(store, [changed], at: 7) == [.restored])
                let restored = try await store.article(.id(item.id), visibleTo: .everyone)
                #expect(restored.title == "A2" && restored.slug == "a" && restored.revision == 3)
                #expect(try await Self.outcomes(store, [changed], at: 8) == [.unchanged])

                try await store.deleteArticle(item.id, expecting: .anything, by: .later(9))
                other.restoresDeleted = true
                #expect(try await Self.outcomes(store, [other], at: 10) == [.restored])
                #expect(try await Self.outcomes(store, [other], at: 11) == [.unchanged])
            }
        }

        private static func like(
            _ path: String, digest: UInt8 = 1, slug: String? = nil, _ content: ArticleContent
        ) -> ImportItem {
            var item = item(path, digest: digest, content)
            item.recognition = .likeness(slug: slug)
            return item
        }

        @Test(arguments: Engine.all)
        func `files with the same name and the same title or slug are similar`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let first = [
                    Self.like("site/a.md", .sample("A")),
                    Self.like("site/b/index.md", .sample("B", slug: .exactly("bee"))),
                    Self.like("site/blog.xml#post:1", .sample("C", slug: .exactly("c"))),
                ]
                let created = try await Self.outcomes(store, first)
                #expect(created == [.created, .created, .created])
                let others = [
                    Self.like("copy/x/a.md", digest: 2, .sample("A")),
                    Self.like("copy/a.md", digest: 2, .sample("Other")),
                    Self.like("copy/b/index.md", digest: 2, .sample("B")),
                    Self.like("copy/index.md", digest: 2, .sample("B")),
                    Self.like(
                        "copy/b/index.md", digest: 2, slug: "bee",
                        .sample("Bee", slug: .like("bee"))),
                    Self.like("copy/b/index.md", .sample("Bee", slug: .like("bee"))),
                    Self.like("blog.xml#post:1", .sample("C")),
                    Self.like("blog.xml#post:2", .sample("C")),
                ]
                let outcomes = try await Self.outcomes(store, others, dryRun: true)
                #expect(
                    outcomes == [
                        .similar(["site/a.md"]), .created, .similar(["site/b/index.md"]),
                        .created, .similar(["site/b/index.md"]), .created,
                        .similar(["site/blog.xml#post:1"]), .created,
                    ])
                #expect(try await store.changeSequence() == 3)
            }
        }

        @Test(arguments: Engine.all)
        func `a file that has moved is imported under its new path`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let first = Self.like("site/a.md", .sample("A"))
                _ = try await Self.outcomes(store, [first])
                var moved = Self.like("copy/a.md", .sample("A"))
                moved.recognition = .movedFrom("site/a.md")
                #expect(try await Self.outcomes(store, [moved], at: 1) == [.unchanged])
                let changed = Self.like("copy/a.md", digest: 2, .sample("A2"))
                #expect(try await Self.outcomes(store, [changed], at: 2) == [.updated])
                var again = Self.like("new/a.md", digest: 3, .sample("A3"))
                again.recognition = .movedFrom("copy/a.md")
                #expect(try await Self.outcomes(store, [again], at: 3) == [.updated])
                // The title that counts is that of the file, whatever it is called here.
                _ = try await store.updateArticle(
                    first.id, expecting: .anything, by: .later(4)
                ) { article in .of(article) { $0.draft.title = "Edited" } }
                let records = try await Exports.exported(store)
                let look = Self.like("site/a.md", digest: 4, .sample("A3"))
                let found = ImportOutcome.similar(["new/a.md"])
                #expect(try await Self.outcomes(store, [look], dryRun: true) == [found])
                try await engine.with { other in
                    _ = try await other.restore(records, dryRun: false)
                    #expect(try await Self.outcomes(other, [look], dryRun: true) == [found])
                }
            }
        }

        @Test(arguments: Engine.all)
        func `an undated post keeps the time of its first import`(_ engine: Engine) async throws {
            try await engine.with { store in
                let first = Self.item("a.md", .sample("A", at: nil))
                _ = try await Self.outcomes(store, [first], at: 5)
                let second = Self.item("a.md", digest: 2, .sample("A", body: "More", at: nil))
                _ = try await Self.outcomes(store, [second], at: 9)
                let article = try await store.article(.id(first.id), visibleTo: .editors)
                #expect(article.publishedAt == .start + 5 && article.updatedAt == .start + 9)
            }
        }

        @Test(arguments: Engine.all)
        func `a slug derived from a title is kept when the title changes`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let first = Self.item("a.md", .sample("Old"))
                _ = try await Self.outcomes(store, [first])
                var second = Self.item("a.md", digest: 2, .sample("New"))
                second.keepsSlug = true
                #expect(try await Self.outcomes(store, [second], at: 1) == [.updated])
                let kept = try await store.article(.id(first.id), visibleTo: .editors)
                #expect(kept.title == "New" && kept.slug == "old")
                let third = Self.item("a.md", digest: 3, .sample("New"))
                #expect(try await Self.outcomes(store, [third], at: 2) == [.updated])
                let moved = try await store.article(.slug("old"), visibleTo: .editors)
                #expect(moved.id == first.id && moved.slug == "new")
            }
        }

        private static func former(
            _ path: String, _ slugs: [String], digest: UInt8 = 1, _ content: ArticleContent
        ) -> ImportItem {
            var item = item(path, digest: digest, content)
            item.formerSlugs = slugs
            return item
        }

        /// The title of the article that the audience finds by a slug.
        private static func title(
            _ slug: String, _ audience: Audience = .everyone, in store: any ArticleStore
        ) async throws -> String? {
            do { return try await store.article(.slug(slug), visibleTo: audience).title } catch {
                guard case .notFound = error else { throw error }
                return nil
            }
        }

        @Test(arguments: Engine.all)
        func `former slugs lead to the article, unless they belong to another one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(
                    .make(), .sample("Other", slug: .exactly("taken")), by: .first)
                let first = Self.former(
                    "a.md", ["old", "taken", "a", "old"], .sample("A", slug: .exactly("a")))
                let second = Self.former(
                    "b.md", ["old", "older"], .sample("B", slug: .exactly("b")))
                let outcomes = try await Self.outcomes(store, [first, second])
                #expect(outcomes == [.created, .created])
                for (slug, title) in [
                    ("old", "A"), ("a", "A"), ("taken", "Other"), ("older", "B"), ("b", "B"),
                ] { #expect(try await Self.title(slug, in: store) == title, "\(slug)") }
                let again = try await Self.outcomes(store, [first, second], at: 1)
                #expect(again == [.unchanged, .unchanged])
                #expect(try await store.changeSequence() == 3)
                let error = try await failure {
                    _ = try await store.createArticle(
                        .make(), .sample("C", slug: .exactly("older")), by: .first)
                }
                guard case .slugTaken("older") = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `a changed file adds former slugs, and an edited article gets none`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let content = ArticleContent.sample("A", slug: .exactly("a"))
                let first = Self.former("a.md", ["one"], content)
                _ = try await Self.outcomes(store, [first])
                let second = Self.former("a.md", ["two"], digest: 2, content)
                // What the public sees of the article is the same.
                #expect(try await Self.outcomes(store, [second], at: 1) == [.unchanged])
                #expect(try await Self.title("one", in: store) == "A")
                #expect(try await Self.title("two", in: store) == "A")
                _ = try await store.updateArticle(
                    first.id, expecting: .anything, by: .later(2)
                ) { article in .of(article) { $0.draft.title = "Edited" } }
                let third = Self.former("a.md", ["three"], digest: 3, content)
                #expect(try await Self.outcomes(store, [third], at: 3) == [.keptEdits])
                #expect(try await Self.title("three", .editors, in: store) == nil)
                let trial = Self.former("b.md", ["four"], .sample("B"))
                #expect(try await Self.outcomes(store, [trial], dryRun: true) == [.created])
                #expect(try await Self.title("four", .editors, in: store) == nil)
            }
        }

        @Test(arguments: Engine.all)
        func `former slugs lead to an article from its publication on`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let draft = Self.former(
                    "a.md", ["old-a"], .sample("A", slug: .exactly("working-title"), status: .draft)
                )
                let scheduled = Self.former(
                    "b.md", ["old-b"],
                    .sample("B", slug: .exactly("b"), status: .scheduled, at: .start + 9))
                _ = try await Self.outcomes(store, [draft, scheduled])
                for slug in ["old-a", "old-b"] {
                    #expect(try await Self.title(slug, in: store) == nil)
                    #expect(try await Self.title(slug, .editors, in: store) != nil)
                }
                _ = try await store.updateArticle(
                    draft.id, expecting: .anything, by: .later(5)
                ) { article in
                    .of(article) {
                        $0.slug = .exactly("a")
                        $0.draft.status = .published
                        $0.draft.publishedAt = .start
                    }
                }
                _ = try await store.publishDueArticles(at: .start + 9, limit: 2)
                for (slug, title) in [("old-a", "A"), ("a", "A"), ("old-b", "B"), ("b", "B")] {
                    #expect(try await Self.title(slug, in: store) == title, "\(slug)")
                }
                #expect(try await Self.title("working-title", in: store) == nil)

                let records = try await Exports.exported(store)
                try await engine.with { other in
                    _ = try await other.restore(records, dryRun: false)
                    for (slug, title) in [("old-a", "A"), ("old-b", "B"), ("working-title", nil)] {
                        #expect(try await Self.title(slug, in: other) == title, "\(slug)")
                    }
                    #expect(try await Exports.exported(other) == records)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a failed item does not affect the others`(_ engine: Engine) async throws {
            try await engine.with { store in
                let results = try await store.importArticles(
                    [
                        Self.item("a.md", .sample(slug: .exactly("a"), tags: ["One"])),
                        Self.item(
                            "b.md",
                            .sample(slug: .exactly("a"), authors: [.name("Eve")], tags: ["Two"])),
                        Self.item("c.md", .sample(slug: .exactly("c"), tags: ["Two"])),
                    ], by: .first, dryRun: false)
                guard case .failure(.slugTaken("a")) = results[1] else {
                    Issue.record("\(results[1])")
                    return
                }
                #expect(try results[0].get() == .created && results[2].get() == .created)
                let tags = try await store.tags(after: nil, limit: 9, visibleTo: .editors)
                #expect(tags.items.map(\.articleCount) == [1, 1])
                #expect(try await store.changeSequence() == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `a dry run reports what would happen and changes nothing`(_ engine: Engine)
            async throws
        {
            try await engine.with { store in
                let items = [Self.item("a.md", .sample("A", authors: [.name("Ann")]))]
                let outcomes = try await Self.outcomes(store, items, dryRun: true)
                #expect(outcomes == [.created])
                #expect(try await store.changeSequence() == 0)
                #expect(try await store.articleCount() == 0)
                #expect(try await Self.outcomes(store, items) == [.created])
            }
        }
    }
}
