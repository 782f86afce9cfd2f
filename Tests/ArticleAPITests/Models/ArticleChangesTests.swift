import ArticleAPI
import BroadsheetTestSupport
import Testing

/// Edits as values: patches that are applied, and the patch between two articles.
@Suite struct ArticleChangesTests {
    /// An article that is generated from its schema.
    private func article(seed: UInt64) throws -> Article {
        var generator = RequestGenerator(seed: seed)
        var writer = JSONWriter()
        generator.json(Article.shape.schema, at: "").write(to: &writer)
        return try Article(mapping: writer.bytes)
    }

    @Test func `a patch between two articles turns one into the other`() throws {
        for seed in 0..<300 as Range<UInt64> {
            let before = try article(seed: seed)
            var after = try article(seed: seed + 1_000)
            if after.body == nil { after.body = before.body }
            let changes = Article.Changes(from: before, to: after)
            #expect(try before.draft(applying: changes) == expected(after, from: before))
            let shown = before.applying(changes)
            #expect(
                shown.authors
                    == after.authors.map { author in
                        // A by-line's names are the backend's.
                        before.authors.first { $0.id == author.id }
                            ?? Author.Reference(id: author.id, name: "")
                    })
            #expect(shown.tags.map(\.name) == after.tags.map(\.name))
            #expect(shown.title == after.title && shown.status == after.status)
            #expect(Article.Changes(from: before, to: before).isEmpty)
        }
    }

    /// Returns the draft that the backend would receive of `after`.
    private func expected(_ after: Article, from before: Article) -> Article.Draft {
        var draft = after.draft
        draft.id = before.id
        return draft
    }

    @Test func `a patch between two drafts is that between their articles`() throws {
        for seed in 0..<300 as Range<UInt64> {
            let before = try article(seed: seed)
            var after = try article(seed: seed + 1_000)
            if after.body == nil { after.body = before.body ?? "" }
            var changes = Article.Changes(from: before, to: after)
            if before.body == nil, after.body == "" { changes.body = .keep }
            #expect(Article.Changes(from: before.draft, to: after.draft) == changes)
        }
    }

    @Test func `what a draft leaves to the backend is kept`() throws {
        let before = try article(seed: 1)
        var after = before.draft
        (after.slug, after.language, after.status) = (nil, nil, nil)
        #expect(Article.Changes(from: before.draft, to: after).isEmpty)
    }

    @Test func `a patch contains only what was edited`() throws {
        var edited = Samples.article
        edited.title = "Another"
        edited.heroImage?.alternativeText = nil
        edited.publishedAt = nil
        let changes = Article.Changes(from: Samples.article, to: edited)
        #expect(
            String(decoding: changes.json(), as: UTF8.self)
                == #"{"title":"Another","heroImage":{"alternativeText":null},"publishedAt":null}"#)
        #expect(Samples.article.applying(changes) == edited)
    }

    @Test func `a list's article without a body keeps the body that the backend has`() {
        var edited = Samples.article
        edited.body = nil
        #expect(Article.Changes(from: Samples.article, to: edited).isEmpty)
    }

    @Test func `an author who was typed in is sent by name`() throws {
        var edited = Samples.article
        edited.authors.append(Author.Reference(named: "Bo"))
        let changes = Article.Changes(from: Samples.article, to: edited)
        #expect(changes.authors == .set([.id(Samples.authorID, name: nil), .name("Bo")]))
        let shown = Samples.article.applying(changes)
        #expect(shown.authors.map(\.name) == ["Ada", "Bo"])
        #expect(shown.authors.map(\.isProvisional) == [false, true])
        #expect(Set(shown.authors.map(\.id)).count == 2)
        #expect(shown == edited)
    }

    @Test func `an owner is set and cleared`() throws {
        #expect(try Samples.article.draft(applying: .init()).owner == Samples.userID)
        #expect(try Samples.article.draft(applying: .init(owner: .clear)).owner == nil)
        let given = Article.Changes(owner: .set(Samples.userID))
        #expect(try Samples.bare.draft(applying: given).owner == Samples.userID)
        #expect(Article.Changes(from: Samples.bare, to: Samples.bare.applying(given)) == given)
    }

    @Test func `a new body is measured, and the old HTML is dropped`() {
        var article = Samples.article
        article.bodyHTML = "<p>old</p>"
        let shown = article.applying(Article.Changes(body: .set("one two three")))
        #expect(shown.wordCount == 3 && shown.readingMinutes == 1 && shown.bodyHTML == nil)
    }

    @Test func `an attribute that cannot be cleared is a fault and stays`() throws {
        let changes = Article.Changes(
            slug: .clear, title: .clear, heroImage: .set(.init(url: .clear)),
            source: .set(.init(name: .clear)))
        #expect(Samples.article.applying(changes) == Samples.article)
        #expect {
            try Samples.article.draft(applying: changes)
        } throws: { error in
            (error as? InvalidValue)?.details.map(\.place) == [
                .pointer("/title"), .pointer("/slug"), .pointer("/heroImage/url"),
                .pointer("/source/name"),
            ]
        }
        let added = Article.Changes(heroImage: .set(.init(alternativeText: .set("A wave"))))
        #expect(Samples.bare.applying(added).heroImage == nil)
        #expect {
            try Samples.bare.draft(applying: added)
        } throws: { error in
            (error as? InvalidValue)?.faults.map(\.reason) == [.missing]
        }
    }
}
