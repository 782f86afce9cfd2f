import ArticleAPI
import BroadsheetTestSupport
import Testing

/// Merging an edit into an article that somebody else has edited.
@Suite struct ArticleMergeTests {
    private let base: Article = {
        var base = article(1, title: "Bread", summary: "Flour", body: "Knead.", tags: ["baking"])
        base.heroImage = Article.HeroImage(url: "https://example.com/a", alternativeText: "A loaf")
        base.version = "1-abcdef"
        return base
    }()

    private func edited(_ edit: (inout Article) -> Void) -> Article {
        var copy = base
        edit(&copy)
        return copy
    }

    // MARK: Single attributes

    @Test func `different attributes are both changed`() {
        let theirs = edited { $0.summary = "Rye" }
        let merge = Article.Merge(base: base, mine: .init(title: .set("Loaf")), theirs: theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(merge.changes() == .init(title: .set("Loaf")))
        #expect(theirs.applying(merge.changes()).summary == "Rye")
    }

    @Test func `the same change on both sides leaves nothing to do`() {
        let theirs = edited { $0.title = "Loaf" }
        let merge = Article.Merge(base: base, mine: .init(title: .set("Loaf")), theirs: theirs)
        #expect(
            merge.conflicts.isEmpty && merge.changes().isEmpty
                && merge.changes(otherwise: .mine).isEmpty)
    }

    @Test func `different values of one attribute are in conflict, and the others are merged`() {
        let theirs = edited { $0.title = "Their loaf" }
        let mine = Article.Changes(title: .set("My loaf"), summary: .set("Rye"))
        let merge = Article.Merge(base: base, mine: mine, theirs: theirs)
        #expect(merge.conflicts == [.attribute("title")])
        #expect(merge.changes() == .init(summary: .set("Rye")))
        #expect(merge.changes(otherwise: .mine) == mine)
    }

    @Test func `an attribute that was set to what it was is not changed`() {
        let theirs = edited { $0.title = "Their loaf" }
        let merge = Article.Merge(base: base, mine: .init(title: .set("Bread")), theirs: theirs)
        #expect(merge.conflicts.isEmpty && merge.changes().isEmpty)
    }

    @Test func `my picture replaces theirs as a whole`() {
        let theirs = edited { $0.heroImage = nil }
        let part = Article.HeroImageChanges(url: .set("https://example.com/b"))
        let merge = Article.Merge(base: base, mine: .init(heroImage: .set(part)), theirs: theirs)
        #expect(merge.conflicts == [.attribute("heroImage")] && merge.changes().isEmpty)
        #expect(
            theirs.applying(merge.changes(otherwise: .mine)).heroImage
                == Article.HeroImage(url: "https://example.com/b", alternativeText: "A loaf"))
    }

    @Test func `a body that the list omitted is in conflict only if I changed it`() {
        let listed = edited { $0.body = nil }
        let theirs = edited { $0.body = "Fold." }
        let title = Article.Merge(base: listed, mine: .init(title: .set("Loaf")), theirs: theirs)
        #expect(title.conflicts.isEmpty && title.changes() == .init(title: .set("Loaf")))
        let body = Article.Merge(base: listed, mine: .init(body: .set("Rest.")), theirs: theirs)
        #expect(body.conflicts.map(\.attribute) == ["body"])
    }

    @Test func `authors by name stay names`() {
        let mine = Article.Changes(authors: .set([.name("Ada")]))
        let theirs = edited { $0.title = "Loaf" }
        let merge = Article.Merge(base: base, mine: mine, theirs: theirs)
        #expect(merge.changes() == mine)
    }

    // MARK: Laws

    @Test func `laws of merging hold for random edits`() {
        var random = SplitMix64(seed: 16)
        for _ in 0..<300 {
            let mine = randomEdit(&random)
            let theirs = randomEdit(&random)
            let changes = Article.Changes(from: base, to: mine)
            let merge = Article.Merge(base: base, mine: changes, theirs: theirs)
            let result = theirs.applying(merge.changes())
            // Unchanged theirs gives mine.
            let alone = Article.Merge(base: base, mine: changes, theirs: base)
            #expect(alone.conflicts.isEmpty && alone.changes() == changes)
            // Conflicts do not depend on the side.
            let others = Article.Changes(from: base, to: theirs)
            let mirrored = Article.Merge(base: base, mine: others, theirs: mine)
            #expect(mirrored.conflicts.map(\.attribute) == merge.conflicts.map(\.attribute))
            // Without conflicts, neither does the result.
            if merge.conflicts.isEmpty {
                #expect(mine.applying(mirrored.changes()).draft == result.draft)
            }
            // Merging again changes nothing.
            let again = Article.Merge(base: base, mine: changes, theirs: result)
            #expect(again.changes().isEmpty && again.conflicts == merge.conflicts)
            // Nothing is lost: each attribute is mine, theirs, or named.
            #expect(isComplete(result, mine, theirs, merge.conflicts.map(\.attribute)))
            // If mine holds everywhere, no attribute that I changed is theirs.
            let own = Article.Changes(
                from: base, to: theirs.applying(merge.changes(otherwise: .mine)))
            #expect(Article.Merge(base: base, mine: changes, theirs: base).changes() == changes)
            #expect(names(changes).isSubset(of: names(own)))
        }
    }

    private func names(_ changes: Article.Changes) -> Set<String> {
        guard case .object(let members)? = try? JSONParser.parse(changes.json()) else { return [] }
        return Set(members.map(\.name))
    }

    private func members(_ article: Article) -> [String: JSONValue] {
        guard case .object(let members)? = try? JSONParser.parse(article.draft.json()) else {
            return [:]
        }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    private func isComplete(
        _ result: Article, _ mine: Article, _ theirs: Article, _ conflicts: [String]
    ) -> Bool {
        let (before, own, other) = (members(base), members(mine), members(theirs))
        let merged = members(result)
        return Set(own.keys).union(other.keys).union(merged.keys).allSatisfy { name in
            if conflicts.contains(name) { return merged[name] == other[name] }
            return merged[name] == (own[name] == before[name] ? other[name] : own[name])
        }
    }

    private func randomEdit(_ random: inout SplitMix64) -> Article {
        func pick<Value>(_ values: [Value], _ current: Value) -> Value {
            Bool.random(using: &random) ? current : values.randomElement(using: &random) ?? current
        }
        return edited {
            $0.title = pick(["Bread", "Loaf", "Rye"], $0.title)
            $0.summary = pick(["", "Flour", "Water"], $0.summary)
            $0.body = pick(["Knead.", "Fold."], $0.body)
            $0.language = pick(["en", "de"], $0.language)
            $0.heroImage = pick(
                [nil, Article.HeroImage(url: "https://example.com/b")], $0.heroImage)
            $0.status = pick([.draft, .archived], $0.status)
            $0.publishedAt = pick([nil, Timestamp(milliseconds: 5)], $0.publishedAt)
            $0.source = pick([nil, Article.Source(name: "Paper")], $0.source)
            $0.comments = pick([nil, .open], $0.comments)
        }
    }
}
