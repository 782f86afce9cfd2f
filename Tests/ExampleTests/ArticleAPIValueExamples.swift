import ArticleAPI
import Testing

struct Greeting: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(text:), .required("text", \.text, .text(.line(1...200))))
    var text: String
}

struct Login: Sendable, Hashable {
    var name: String
    @Redacted var password: String
}

/// The examples of articles and their parts, and of their forms as text and JSON.
@Suite struct ArticleAPIValueExamples {
    private let article = ServedExampleBackend.article
    private let tag = ArticleTag(key: "swift", name: "Swift")

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `an edit of an article`() throws {
        do {
            var edited = article
            edited.title = "Rye bread"
            let changes = Article.Changes(from: article, to: edited)
            #expect(changes == Article.Changes(title: .set("Rye bread")))
        }
        let changes = Article.Changes(title: .set("Rye bread"), summary: .clear)
        let draft = try article.draft(applying: changes)
        #expect(draft.title == "Rye bread" && draft.summary == "")
    }

    @Test func `merging two edits`() {
        let seen = article
        var current = article
        (current.title, current.summary) = ("White bread", "With rye.")
        let changes = Article.Changes(title: .set("Rye bread"))
        func ask(_ conflict: Article.Merge.Conflict) -> Article.Merge.Choice { .mine }
        let merge = Article.Merge(base: seen, mine: changes, theirs: current)
        var choices: [Article.Merge.Conflict: Article.Merge.Choice] = [:]
        for conflict in merge.conflicts { choices[conflict] = ask(conflict) }
        let request = UpdateArticleRequest(current, changes: merge.changes(choices))
        #expect(merge.conflicts == [.attribute("title")] && request.changes == changes)
    }

    @Test func `invalid values`() {
        let draft = Article.Draft(title: "")
        var messages: [String] = []
        do throws(InvalidValue) {
            try draft.validate()
        } catch {
            messages = error.details.map(\.detail)
        }
        #expect(messages == ["is empty"])
        let title = String(repeating: "a", count: 301)
        let isTooLong = title.unicodeScalars.count > ArticleLimits.title.upperBound
        #expect(isTooLong)
    }

    @Test func `a problem`() {
        let detail = Problem.Detail("is longer than 300 characters", at: .pointer("/title"))
        let problem = Problem(.invalidValues, errors: [detail])
        let message = problem.faults(at: "/title").first
        #expect(message == "is longer than 300 characters" && problem.status == 422)
    }

    @Test func `a secret`() {
        let login = Login(name: "ada", password: "hush")
        #expect(!"\(login)".contains("hush") && login.password == "hush")
    }

    @Test func `a value on the heap`() {
        let parent = Indirect("a value of any size")
        let count = parent.value.count
        #expect(count == 19)
    }

    @Test func `tags`() {
        let tag = ArticleTag(named: "Straße")
        let isSame = tag.key == ArticleTag(named: "STRASSE").key
        #expect(isSame && tag.name == "Straße")
    }

    @Test func `ids and times`() {
        do {
            let time = Timestamp("2026-01-31T23:59:59+01:00")
            let text = time?.advanced(byMilliseconds: 1_000).description
            #expect(text == "2026-01-31T23:00:00.000Z")
        }
        let time = ServedExampleBackend.time
        let id = Article.ID(at: time)
        let same = Article.ID("\(id)")
        #expect(id == same)
    }

    @Test func `days`() {
        let time = ServedExampleBackend.time
        let day = LocalDay(time, secondsFromGMT: { _ in 9 * 3_600 })
        let text = "\(day.year)-\(day.month)-\(day.day)"
        #expect(text == "2026-1-1")
    }

    @Test func `scheduled articles by day`() {
        let articles = [article]
        let now = ServedExampleBackend.time.advanced(byMilliseconds: -86_400_000)
        var lines: [String] = []
        let upcoming = UpcomingByDay(articles, now: now) { _ in 9 * 3_600 }
        for group in upcoming.groups {
            lines.append("\(group.kind): \(group.articles.map(\.title).joined(separator: ", "))")
        }
        #expect(lines == ["tomorrow: Bread"])
    }

    @Test func `texts`() {
        let language = LanguageTag("zh-hant-tw")?.text
        #expect(language == "zh-Hant-TW")
        let slug = Slug(title: "Über uns!")?.text
        #expect(slug == "über-uns")
        let measure = TextMeasure("Flour, water and salt.")
        let line = "\(measure.words) words, \(measure.readingMinutes) min"
        #expect(line == "4 words, 1 min")
        let fault = WebAddress.fault("ftp://example.org")
        #expect(fault == "must be an absolute http or https URL")
    }

    @Test func `a model as JSON`() throws {
        let bytes = tag.json()
        let copy = try ArticleTag(mapping: bytes)
        #expect(copy == tag)
        let greeting = Greeting(text: "Hello")
        #expect(greeting.json() == self.bytes(#"{"text":"Hello"}"#))
        #expect(try Greeting(mapping: greeting.json()) == greeting)
    }

    @Test func `responses`() throws {
        do {
            let encoding = ArticleTag.encoding
            let bytes = encoding.write(tag)
            #expect(bytes == tag.json() && encoding.mediaType == "application/json")
        }
        let picture = [1, 2, 3] as [UInt8]
        let bytes = RawBody.encoding.write(RawBody(picture))
        #expect(bytes == picture)
    }

    @Test func `a page from bytes`() throws {
        let bytes = bytes(#"{"items":[{"key":"swift","name":"Swift","articleCount":3}]}"#)
        let mapper = ResponseMapper<Page<ArticleTag.Usage>>()
        let page = try mapper.map(bytes)
        #expect(page.items == [ArticleTag.Usage(tag: tag, articleCount: 3)])
    }

    @Test func `an array of which not all items can be decoded`() throws {
        let bytes = bytes(#"[{"key":"swift","name":"Swift"},{"key":"c"}]"#)
        let mapper = ArrayResponseMapper<ArticleTag>()
        let (tags, leftOut) = try mapper.mapLeniently(bytes)
        #expect(tags == [tag])
        #expect(leftOut == [.missingAttribute(name: "name", path: "$[1].name")])
    }

    @Test func `selected attributes`() {
        let fields: FieldSelection = [.title, .authors(.name)]
        let needsAuthors = fields.contains("authors")
        #expect(needsAuthors && !fields.contains("body"))
    }

    @Test func `codecs`() {
        let format = JSONCodec<[Int]>.array(of: .integer(1...100), limit: 10)
        let schema = format.schema
        #expect(schema == .array(of: .integer(1...100), count: 0...10))
        let even = TextCodec<Int>(
            "an even number", parse: { Int($0) }, print: { "\($0)" },
            fault: { $0.isMultiple(of: 2) ? nil : "is odd" })
        let fault = even.fault(7)
        #expect(fault == "is odd")
    }

    @Test func `parsed JSON`() throws {
        do {
            let value = try JSONParser.parse(Array(#"{"title":"Bread"}"#.utf8))
            #expect(value == .object([JSONValue.Member(name: "title", value: .string("Bread"))]))
        }
        var names: [String] = []
        do {
            let bytes = bytes(#"{"title":"Bread","wordCount":3}"#)
            let value = try JSONParser.parse(bytes)
            if case .object(let members) = value { names = members.map(\.name) }
        }
        #expect(names == ["title", "wordCount"])
        var count: Int64?
        let value = try JSONParser.parse(bytes("3"))
        if case .number(let number) = value { count = number.integer }
        #expect(count == 3)
    }

    @Test func `text that is not JSON`() {
        let bytes = bytes("{\n  \"title\": yes\n}")
        var value: JSONValue?
        var place: String?
        do throws(JSONSyntaxError) {
            value = try JSONParser.parse(bytes)
        } catch {
            place = "\(error.line):\(error.column)"
        }
        #expect(value == nil && place == "2:12")
    }

    @Test func `faults and their places`() {
        var reader = JSONReader(.strict)
        reader.report(.rejected("is in the past"))
        let messages = reader.faults.map(\.message)
        #expect(messages == ["is in the past"])
    }

    @Test func `written JSON`() {
        var writer = JSONWriter()
        writer.object {
            $0.name("title")
            $0.string("Bread")
        }
        #expect(writer.bytes == bytes(#"{"title":"Bread"}"#))
    }
}
