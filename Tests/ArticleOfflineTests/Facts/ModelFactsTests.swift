import ArticleAPI
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// Merging what responses say about an article.
@Suite struct ModelFactsTests {
    private static let id = Article.ID(at: Timestamp(milliseconds: 1_700_000_000_000))
    private static let inLists = AttributeSet<Article>.all.subtracting([
        "body", "bodyHTML", "commentCount",
    ])
    private static let inArticles = AttributeSet<Article>.all.subtracting([
        "bodyHTML", "commentCount",
    ])

    private static func article(_ revision: Int, body: String? = nil) -> Article {
        Article(
            id: id, slug: "bread", title: "Bread \(revision)", body: body, language: "en",
            status: .published, createdAt: Timestamp(milliseconds: 1),
            updatedAt: Timestamp(milliseconds: Int64(revision)), revision: revision,
            version: "\(revision)-abcdef", wordCount: 1, readingMinutes: 1)
    }

    private static func time(_ seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: seconds * 1_000)
    }

    // MARK: The three states

    @Test func `an article in a list does not take the body away`() {
        var facts = ModelFacts(
            Self.article(1, body: "Knead."), knowing: Self.inArticles, seenAt: Self.time(1))
        let changed = facts.merge(
            ModelFacts(Self.article(2), knowing: Self.inLists, seenAt: Self.time(2)))
        #expect(changed.names == ["title", "updatedAt", "revision", "version"])
        #expect(facts.model() == Self.article(2, body: "Knead."))
        #expect(facts.origin(of: "body")?.revision == 1)
        #expect(facts.origin(of: "title")?.revision == 2)
    }

    @Test func `a value that was removed is not unknown`() {
        var earlier = Self.article(1)
        earlier.heroImage = Article.HeroImage(url: "https://example.com/a.jpg")
        var facts = ModelFacts(earlier, knowing: Self.inLists, seenAt: Self.time(1))
        let changed = facts.merge(
            ModelFacts(Self.article(2), knowing: Self.inLists, seenAt: Self.time(2)))
        #expect(changed.contains("heroImage"))
        #expect(facts.model()?.heroImage == nil && facts.attributes.contains("heroImage"))
        #expect(!facts.attributes.contains("body"))
    }

    @Test func `a removed value does not come back with an older response`() {
        var earlier = Self.article(1)
        earlier.heroImage = Article.HeroImage(url: "https://example.com/a.jpg")
        let old = ModelFacts(earlier, knowing: Self.inLists, seenAt: Self.time(9))
        var facts = ModelFacts(Self.article(2), knowing: Self.inArticles, seenAt: Self.time(2))
        let newest = facts
        #expect(facts.merge(old).isEmpty)
        #expect(facts == newest)
    }

    @Test func `a late response overwrites nothing, and still tells what was unknown`() {
        var facts = ModelFacts(Self.article(3), knowing: Self.inLists, seenAt: Self.time(3))
        let changed = facts.merge(
            ModelFacts(
                Self.article(2, body: "Knead."), knowing: Self.inArticles, seenAt: Self.time(9)))
        #expect(changed.names == ["body"])
        #expect(facts.model() == Self.article(3, body: "Knead."))
    }

    @Test func `what is not part of revisions is as new as the response`() {
        var (first, second) = (Self.article(1), Self.article(1))
        (first.commentCount, second.commentCount) = (5, 4)
        var facts = ModelFacts(second, knowing: .all, seenAt: Self.time(2))
        #expect(facts.merge(ModelFacts(first, knowing: .all, seenAt: Self.time(1))).isEmpty)
        #expect(facts.model()?.commentCount == 4)
        first.commentCount = 6
        let later = ModelFacts(first, knowing: .all, seenAt: Self.time(3))
        #expect(facts.merge(later).names == ["commentCount"])
    }

    // MARK: Partial responses

    @Test func `attributes add up to a whole article`() throws {
        let whole = Self.article(4, body: "Knead.")
        let names = Article.shape.properties.map(\.name)
        var facts = try Self.partial(whole, ["id", "revision"], seenAt: 1)
        #expect(facts.model() == nil)
        for name in names { facts.merge(try Self.partial(whole, [name, "revision"], seenAt: 1)) }
        #expect(facts.attributes == .all)
        #expect(facts.model() == whole)
        #expect(facts.json == whole.json())
    }

    @Test func `a part of an attribute is not the attribute`() throws {
        var whole = Self.article(1)
        whole.authors = [
            Author.Reference(id: Author.ID(at: Timestamp(milliseconds: 5)), name: "Ada")
        ]
        let facts = try Self.partial(whole, ["authors.name", "title"], seenAt: 1)
        #expect(facts.attributes.names == ["id", "title"])
    }

    @Test func `without a revision, values only fill in what is unknown`() throws {
        var facts = ModelFacts(Self.article(1), knowing: Self.inLists, seenAt: Self.time(1))
        let unversioned = try Self.partial(
            Self.article(2, body: "Knead."), ["title", "body"], seenAt: 2)
        #expect(facts.merge(unversioned).names == ["body"])
        #expect(facts.model()?.title == "Bread 1")
        #expect(facts.origin(of: "body")?.revision == 0)
    }

    private static func partial(
        _ article: Article, _ names: [String], seenAt seconds: Int64
    ) throws -> ModelFacts<Article> {
        let fields = FieldSelection(names)
        return ModelFacts(
            try PartialArticle(mapping: article.json(fields)), fields, seenAt: time(seconds))
    }

    // MARK: Laws

    /// A response, and what it says by the names of the attributes.
    private struct Response {
        let facts: ModelFacts<Article>
        let values: [String: (origin: ModelFacts<Article>.Origin, value: String)]
    }

    /// A response of a random revision, time and selection. Equal revisions are equal but for the
    /// number of comments, as at a backend.
    private static func response(
        _ random: inout SplitMix64, of history: [Article]
    ) throws -> Response {
        var article = history.randomElement(using: &random) ?? Self.article(1)
        article.commentCount = Int.random(in: 0...3, using: &random)
        let seconds = Int64.random(in: 1...5, using: &random)
        let isVersioned = Int.random(in: 0...9, using: &random) > 0
        let known: AttributeSet<Article>
        let facts: ModelFacts<Article>
        switch Int.random(in: 0...2, using: &random) {
        case 0:
            known = Self.inLists
            (article.body, article.bodyHTML, article.commentCount) = (nil, nil, nil)
            facts = ModelFacts(article, knowing: known, seenAt: time(seconds))
        case 1:
            known = .all
            facts = ModelFacts(article, knowing: known, seenAt: time(seconds))
        default:
            var names = Article.shape.properties.map(\.name).filter { name in
                name != "revision" && Bool.random(using: &random)
            }
            if isVersioned { names.append("revision") }
            known = AttributeSet(FieldSelection(names))
            facts = try partial(article, names, seenAt: seconds)
        }
        let isPartial = known != .all && known != Self.inLists
        let origin = ModelFacts<Article>.Origin(
            revision: isPartial && !isVersioned ? 0 : article.revision, seenAt: time(seconds))
        var values: [String: (origin: ModelFacts<Article>.Origin, value: String)] = [:]
        for name in known.names {
            let bytes = article.json(FieldSelection([name]))
            values[name] = (origin, name == "id" ? "" : String(decoding: bytes, as: UTF8.self))
        }
        return Response(facts: facts, values: values)
    }

    private static func history(_ random: inout SplitMix64) -> [Article] {
        (1...4).map { revision in
            var article = article(revision)
            if Bool.random(using: &random) { article.body = "Body \(revision)" }
            if Bool.random(using: &random) { article.summary = "Summary \(revision)" }
            if Bool.random(using: &random) {
                article.heroImage = Article.HeroImage(url: "https://example.com/\(revision)")
            }
            if Bool.random(using: &random) {
                article.publishedAt = Timestamp(milliseconds: Int64(revision))
            }
            return article
        }
    }

    @Test(arguments: UInt64(1)...(Thoroughness.isFull ? 40 : 10))
    func `the facts of responses do not depend on their order`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let history = Self.history(&random)
        for _ in 0..<25 {
            var responses: [Response] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                responses.append(try Self.response(&random, of: history))
            }
            let first = Self.merged(responses)
            // In another order, in groups, and with repetitions.
            let again = (responses + responses).shuffled(using: &random)
            let cut = Int.random(in: 1...again.count, using: &random)
            var grouped = Self.merged(Array(again[..<cut]))
            if cut < again.count { grouped.merge(Self.merged(Array(again[cut...]))) }
            #expect(grouped == first)
            var repeated = first
            #expect(repeated.merge(first).isEmpty && repeated == first)
            try Self.expect(first, toBeTheNewestOf: responses)
        }
    }

    private static func merged(_ responses: [Response]) -> ModelFacts<Article> {
        var facts = responses[0].facts
        for response in responses.dropFirst() {
            let before = facts
            let changed = facts.merge(response.facts)
            // Nothing moves back, and nothing that is known becomes unknown.
            for name in Article.shape.properties.map(\.name) {
                guard let origin = before.origin(of: name) else { continue }
                #expect(facts.origin(of: name).map { $0 >= origin } == true)
            }
            #expect(
                changed.isEmpty
                    == (before.attributes == facts.attributes
                        && before.json == facts.json))
        }
        return facts
    }

    /// Compares with a merge that knows nothing of texts and places.
    private static func expect(
        _ facts: ModelFacts<Article>, toBeTheNewestOf responses: [Response]
    ) throws {
        for name in Article.shape.properties.map(\.name) {
            let newest = responses.compactMap { $0.values[name] }.max {
                ($0.origin, $0.value) < ($1.origin, $1.value)
            }
            #expect(facts.origin(of: name) == newest?.origin)
            guard let newest, name != "id" else { continue }
            let known = try JSONParser.parse(facts.json)
            guard case .object(let members) = known,
                case .object(let expected) = try JSONParser.parse(Array(newest.value.utf8))
            else { throw TestFailure("not an object") }
            #expect(
                members.first { $0.name == name }?.value
                    == expected.first { $0.name == name }?.value)
        }
    }
}
