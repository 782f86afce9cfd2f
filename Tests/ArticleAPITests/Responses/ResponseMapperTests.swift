import ArticleAPI
import ArticleAdminAPI
import Testing

/// Decoding responses as a client does.
struct ResponseMapperTests {
    private func error<Item: ResponseItem>(_ text: String, _ type: Item.Type) -> String {
        do throws(ResponseMapperError) {
            _ = try ResponseMapper<Item>().map(Array(text.utf8))
            return "none"
        } catch { return error.description }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a missing attribute is named with its exact path`() {
        let good = text(Samples.bare.json())
        let bad = good.replacing(
            "\"authors\":[]", with: "\"authors\":[{\"id\":\"\(Samples.authorID)\"}]")
        let page = "{\"items\":[\(good),\(good),\(good),\(bad)]}"
        #expect(
            error(page, Page<Article>.self)
                == "$.items[3].authors[0].name: the attribute `name` is missing")
        #expect(error("{}", Page<Article>.self) == "$.items: the attribute `items` is missing")
    }

    @Test func `an error says what was expected and found`() {
        let good = text(Samples.bare.json())
        let bad = good.replacing("\"revision\":1", with: "\"revision\":\"1\"")
        #expect(error(bad, Article.self) == "$.revision: expected an integer, found a string")
        let late = good.replacing("\"createdAt\":\"", with: "\"createdAt\":\"x")
        #expect(
            error(late, Article.self)
                == "$.createdAt: expected an RFC 3339 time, found \"x2026-01-31T23:59:59.999Z\"")
        #expect(error("[]", Article.self) == "$: expected an object, found an array")
    }

    @Test func `an error for invalid JSON names the place`() throws {
        let error = #expect(throws: ResponseMapperError.self) {
            try ResponseMapper<Page<Article>>().map(Array("{\"items\":[{\"id\":<html>".utf8))
        }
        guard case .invalid(let path, let expected, _)? = error else {
            Issue.record("not invalid")
            return
        }
        #expect(path == "$.items[0].id")
        #expect(expected == "JSON")
        #expect(throws: ResponseMapperError.self) { try ResponseMapper<Article>().map([]) }
    }

    @Test func `the actor of a revision is read from servers of any age`() throws {
        let start =
            #"{"number":1,"action":"created","title":"T","status":"draft","#
            + #""createdAt":"2026-01-31T23:59:59.999Z""#
        let desk = Revision.Actor(kind: .unrecorded, name: "desk")
        let robot = Revision.Actor(kind: .unknown("robot"), id: "r2", name: "R2")
        for (rest, actor) in [
            (#"}"#, Revision.Actor(kind: .unrecorded)),
            (#","editor":"desk"}"#, desk),
            (#","editor":"desk","actor":null}"#, desk),
            (#","editor":"desk","actor":{"kind":"unknown","name":"desk"}}"#, desk),
            (#","actor":{"kind":"robot","id":"r2","name":"R2","arms":2},"editor":"R2"}"#, robot),
        ] {
            let revision = try ResponseMapper<Revision>().map(Array((start + rest).utf8))
            #expect(revision.actor == actor && revision.editor == actor.name, "\(rest)")
        }
        #expect(
            error(start + #","actor":{"id":"r2"}}"#, Revision.self)
                == "$.actor.kind: the attribute `kind` is missing")
        #expect(
            robot.faults.map(\.message)
                == ["must be one of key, operator, user, system, source, unknown"])
    }

    @Test func `unknown attributes and values are tolerated`() throws {
        let newer = text(Samples.bare.json())
            .replacing(
                "\"status\":\"draft\"", with: "\"status\":\"embargoed\",\"mood\":{\"a\":[1]}"
            )
            .replacing("\"title\":\"X\"", with: "\"title\":\"\"")
        let article = try ResponseMapper<Article>().map(Array(newer.utf8))
        #expect(article.status == .unknown("embargoed"))
        #expect(text(article.json()).contains("\"status\":\"embargoed\""))
        #expect(throws: InvalidValue.self) { try article.validate() }
    }

    @Test func `arrays, pages, empty responses and raw bytes have mappers`() throws {
        let tag = "{\"key\":\"a\",\"name\":\"A\"}"
        let tags = try ArrayResponseMapper<ArticleTag>().map(Array("[\(tag),\(tag)]".utf8))
        #expect(tags.map(\.key) == ["a", "a"])
        let page = "{\"items\":[\(tag)],\"next\":\"c\"}"
        #expect(
            try PageResponseMapper<ArticleTag>().map(Array(page.utf8))
                == Page(items: [ArticleTag(key: "a", name: "A")], next: "c"))
        #expect(try EmptyResponseMapper().map([]) == NoContent())
        #expect(try ResponseMapper<RawBody>().map([1, 2]) == RawBody([1, 2]))
        let error = #expect(throws: ResponseMapperError.self) {
            try ArrayResponseMapper<ArticleTag>().map(Array("[\(tag),{\"key\":\"b\"}]".utf8))
        }
        #expect(error == .missingAttribute(name: "name", path: "$[1].name"))
    }

    @Test func `one bad item does not hide the others and is reported`() throws {
        let mapper = ArrayResponseMapper<ArticleTag>()
        let good = "{\"key\":\"a\",\"name\":\"A\"}"
        let text = "[\(good),{\"key\":\"b\"},7,\(good)]"
        let (items, leftOut) = try mapper.mapLeniently(Array(text.utf8))
        #expect(items.map(\.key) == ["a", "a"])
        #expect(
            leftOut == [
                .missingAttribute(name: "name", path: "$[1].name"),
                .invalid(path: "$[2]", expected: "an object", found: "a number"),
            ])
        #expect(throws: ResponseMapperError.self) { try mapper.mapLeniently(Array("{}".utf8)) }
    }
}
