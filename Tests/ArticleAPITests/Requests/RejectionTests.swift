import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

/// The requests that the contract rejects, and the problems that it reports.
struct RejectionTests {
    /// `400 ?limit ?foo`: the status and the places of all details, `?` a parameter, `@` a header,
    /// anything else a pointer (`#` the whole body, `-` no place).
    private func rejection<Request: BackendAPIRequest>(
        _ type: Request.Type, _ target: String, fields: HTTPFields = HTTPFields(),
        body: String = ""
    ) throws -> String {
        let request = HTTPRequest(
            Request.endpoint.method, try #require(RequestTarget(target.utf8)), fields: fields,
            body: Array(body.utf8))
        let source = try #require(RequestSource(request, for: Request.endpoint))
        do throws(RequestValidationError) {
            _ = try Request(parsing: source)
            return "accepted"
        } catch {
            let problem = error.problem()
            #expect(problem.detail?.isEmpty == false)
            let places = problem.errors.map { detail in
                switch detail.place {
                case .parameter(let name)?: "?\(name)"
                case .header(let name)?: "@\(name)"
                case .pointer(let pointer)?: pointer.isEmpty ? "#" : pointer
                case nil: "-"
                }
            }
            return ([String(problem.status)] + places).joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("", "accepted"), ("limit=1&cursor=x", "accepted"), ("tag=a&tag=b", "accepted"),
        ("limit=0", "400 ?limit"), ("limit=101", "400 ?limit"), ("limit=", "400 ?limit"),
        ("limit=+5", "400 ?limit"), ("limit=05", "400 ?limit"), ("limit=1.0", "400 ?limit"),
        ("limit=5&limit=5", "400 ?limit"), ("limit", "400 ?limit"),
        ("foo=1", "400 ?foo"), ("foo=1&limit=x&foo=2", "400 ?limit ?foo"),
        ("Limit=1", "400 ?Limit"), ("cursor=", "400 ?cursor"), ("cursor=a%20b", "400 ?cursor"),
        ("tag=", "400 ?tag"), ("tag=a&tag=", "400 ?tag"), ("tag=a%0Ab", "400 ?tag"),
        ("author=ada", "400 ?author"),
        ("author=01890a5d-ac96-474b-bcce-b302099a8057", "400 ?author"),
        ("language=", "400 ?language"), ("language=e", "400 ?language"),
        ("status=gone", "400 ?status"), ("status=Draft", "400 ?status"),
        ("source=", "400 ?source"), ("sort=title", "400 ?sort"),
        ("publishedAfter=2026-01-01", "400 ?publishedAfter"),
        ("publishedBefore=2026-01-01T00:00:00+09:00", "400 ?publishedBefore"),
        ("publishedBefore=2026-01-01T00:00:00%2B09:00", "accepted"),
        ("fields=", "400 ?fields"), ("fields=id,", "400 ?fields"), ("fields=titel", "400 ?fields"),
        ("fields=authors.age", "400 ?fields"), ("fields=body,authors.name", "accepted"),
        ("a=%zz", "400 -"), ("a=%ff", "400 -"), ("=1", "400 -"), ("a=1&&b=2", "400 -"),
        ("limit=x&cursor=&tag=&sort=y", "400 ?limit ?cursor ?tag ?sort"),
    ])
    func `an invalid query is rejected with its parameter`(query: String, result: String) throws {
        let target = query.isEmpty ? "/v1/articles" : "/v1/articles?\(query)"
        #expect(try rejection(FetchArticlesRequest.self, target) == result)
    }

    @Test(arguments: [
        ("q=swift", "accepted"), ("q=AND", "accepted"), ("q=%22a", "accepted"),
        ("q=*", "accepted"), ("q=NEAR(", "accepted"), ("q=%20", "accepted"),
        ("q=%0A%09%07", "accepted"), ("q=c%2B%2B+-x&limit=1&fields=slug", "accepted"),
        ("", "400 ?q"), ("limit=0", "400 ?q ?limit"), ("q=", "400 ?q"), ("q", "400 ?q"),
        ("q=a&q=b", "400 ?q"), ("q=%00", "400 -"), ("q=%ff", "400 -"),
        ("q=a&limit=101", "400 ?limit"), ("q=a&sort=title", "400 ?sort"),
        ("q=a&status=published", "400 ?status"), ("q=a&count=exact", "400 ?count"),
        ("q=a&fields=items", "400 ?fields"), ("query=a", "400 ?q ?query"),
    ])
    func `any text is a search query, but it is required`(query: String, result: String) throws {
        let target = query.isEmpty ? "/v1/search" : "/v1/search?\(query)"
        #expect(try rejection(SearchArticlesRequest.self, target) == result)
    }

    @Test(arguments: [
        (200, "a", "accepted"), (201, "a", "400 ?q"), (200, "%ED%95%9C", "accepted"),
        (201, "%ED%95%9C", "400 ?q"),
        // A decomposed syllable is one character in NFC.
        (200, "%E1%84%92%E1%85%A1%E1%86%AB", "accepted"),
        (201, "%E1%84%92%E1%85%A1%E1%86%AB", "400 ?q"),
    ])
    func `a search query has at most 200 characters`(
        count: Int, character: String, result: String
    ) throws {
        let target = "/v1/search?q=\(String(repeating: character, count: count))"
        #expect(try rejection(SearchArticlesRequest.self, target) == result)
    }

    @Test func `a query has at most fifty tags`() throws {
        let fifty = (0..<50).map { "tag=t\($0)" }.joined(separator: "&")
        #expect(try rejection(FetchArticlesRequest.self, "/v1/articles?\(fifty)") == "accepted")
        let more = "/v1/articles?\(fifty)&tag=x"
        #expect(try rejection(FetchArticlesRequest.self, more) == "400 ?tag")
    }

    @Test(arguments: [
        ("x", "1", "400 ?id"), ("\(Samples.id)", "0", "400 ?number"),
        ("\(Samples.id)", "-1", "400 ?number"), ("\(Samples.id)", "01", "400 ?number"),
        ("\(Samples.id)", "99999999999999999999", "400 ?number"), ("x", "y", "400 ?id ?number"),
        ("\(Samples.id)", "1", "accepted"),
    ])
    func `an invalid path is rejected with its parameter`(
        id: String, number: String, result: String
    ) throws {
        let path = "/v1/articles/\(id)/revisions/\(number)"
        #expect(try rejection(FetchRevisionRequest.self, path) == result)
        #expect(try rejection(RestoreRevisionRequest.self, path + "/restore") == result)
    }

    @Test(arguments: [
        ("\"1-a\"", "accepted"), ("*", "accepted"), ("W/\"1\"", "accepted"), ("1", "400 @If-Match"),
        ("", "400 @If-Match"), ("\"a", "400 @If-Match"), ("*, \"a\"", "400 @If-Match"),
    ])
    func `an invalid If-Match is rejected with its header`(value: String, result: String) throws {
        let path = "/v1/articles/\(Samples.id)"
        let fields: HTTPFields = [.ifMatch: value]
        #expect(try rejection(DeleteArticleRequest.self, path, fields: fields) == result)
    }

    @Test func `two If-Match lines are one list`() throws {
        var fields: HTTPFields = [.ifMatch: "\"a\""]
        fields.append(.ifMatch, "\"b\"")
        let target = try #require(RequestTarget("/v1/articles/\(Samples.id)".utf8))
        let request = HTTPRequest(.delete, target, fields: fields)
        let source = try #require(RequestSource(request, for: DeleteArticleRequest.endpoint))
        let tags = ["a", "b"].compactMap { EntityTag(value: $0) }
        #expect(try DeleteArticleRequest(parsing: source).expected == .tags(tags))
    }

    @Test(arguments: [
        ("application/json", "accepted"), ("Application/JSON; charset=UTF-8", "accepted"),
        ("application/json; charset=utf-16", "415 @Content-Type"),
        ("text/plain", "415 @Content-Type"), ("json", "415 @Content-Type"),
        ("application/merge-patch+json", "415 @Content-Type"),
        ("application/x-www-form-urlencoded", "415 @Content-Type"),
    ])
    func `a body of another type is rejected`(type: String, result: String) throws {
        let fields: HTTPFields = [.contentType: type]
        let body = #"{"title":"x"}"#
        #expect(
            try rejection(CreateArticleRequest.self, "/v1/articles", fields: fields, body: body)
                == result)
    }

    @Test func `a patch is accepted as merge patch and as plain JSON`() throws {
        for (type, result) in [
            ("application/merge-patch+json", "accepted"), ("application/json", "accepted"),
            ("application/json-patch+json", "415 @Content-Type"),
        ] {
            let path = "/v1/articles/\(Samples.id)"
            let fields: HTTPFields = [.contentType: type]
            #expect(
                try rejection(UpdateArticleRequest.self, path, fields: fields, body: "{}") == result
            )
        }
    }

    @Test func `an unsupported type is rejected with the supported ones`() throws {
        let target = try #require(RequestTarget("/v1/articles/\(Samples.id)".utf8))
        let request = HTTPRequest(.patch, target, fields: [.contentType: "a/b"], body: [0x7B])
        let source = try #require(RequestSource(request, for: UpdateArticleRequest.endpoint))
        let rejection = #expect(throws: RequestValidationError.self) {
            try UpdateArticleRequest(parsing: source)
        }
        #expect(rejection?.reason == .unsupportedMediaType)
        #expect(rejection?.mediaTypes == ["application/merge-patch+json", "application/json"])
    }

    @Test func `unexpected bodies and their fields are rejected`() throws {
        let json: HTTPFields = [.contentType: "application/json"]
        let list = FetchArticlesRequest.self
        let create = CreateArticleRequest.self
        #expect(try rejection(list, "/v1/articles", fields: json, body: "{}") == "400 #")
        #expect(try rejection(create, "/v1/articles", fields: json) == "400 #")
        #expect(try rejection(create, "/v1/articles", body: "{}") == "415 @Content-Type")
        var twice = json
        twice.append(.contentType, "application/json")
        #expect(
            try rejection(create, "/v1/articles", fields: twice, body: "{}") == "400 @Content-Type")
        var coded = json
        coded.append(.contentEncoding, "gzip")
        #expect(
            try rejection(create, "/v1/articles", fields: coded, body: "{}")
                == "415 @Content-Encoding")
        #expect(
            try rejection(create, "/v1/articles?x=1", fields: json, body: #"{"title":1}"#)
                == "400 /title ?x")
    }

    @Test(arguments: [
        ("{", "400 #"), ("{\"title\":\"x\",}", "400 #"), ("{\"title\":01}", "400 /title"),
        ("{\"title\":\"x\",\"title\":\"y\"}", "400 #"), ("[]", "422 #"), ("null", "422 #"),
        ("\"x\"", "422 #"),
    ])
    func `a body that is not a JSON object is rejected`(body: String, result: String) throws {
        #expect(try create(body) == result)
    }

    @Test(arguments: [
        (#"{}"#, "422 /title"), (#"{"title":null}"#, "422 /title"),
        (#"{"title":""}"#, "422 /title"), (#"{"title":" \u3000"}"#, "422 /title"),
        (#"{"title":5}"#, "422 /title"), (#"{"title":"a\nb"}"#, "422 /title"),
        (#"{"title":"x","slug":null,"summary":null,"tags":null}"#, "accepted"),
        (#"{"title":"x","colour":1,"a/b~c":2}"#, "422 /colour /a~1b~0c"),
        (#"{"title":"x","createdAt":"2026-01-01T00:00:00Z"}"#, "422 /createdAt"),
        (#"{"title":"x","id":"01890a5d-ac96-474b-bcce-b302099a8057"}"#, "422 /id"),
        (#"{"title":"x","slug":"A b"}"#, "422 /slug"),
        (#"{"title":"x","slug":"01890a5d-ac96-474b-bcce-b302099a8057"}"#, "422 /slug"),
        (#"{"title":"x","language":"english!"}"#, "422 /language"),
        (#"{"title":"x","status":"gone"}"#, "422 /status"),
        (#"{"title":"x","publishedAt":"soon"}"#, "422 /publishedAt"),
        (#"{"title":"x","publishedAt":5}"#, "422 /publishedAt"),
        (#"{"title":"x","body":"a\u0000"}"#, "422 /body"),
        (#"{"title":"x","authors":{}}"#, "422 /authors"),
        (
            #"{"title":"x","authors":["A",5,{"id":"x"},{"name":""},{},{"nom":"y"}]}"#,
            "422 /authors/1 /authors/2/id /authors/3/name "
                + "/authors/4/name /authors/5/nom /authors/5/name"
        ),
        (
            #"{"title":"x","tags":["a","",7,{"name":"B","key":"b"},{"name":"B","key":"c"}]}"#,
            "422 /tags/1 /tags/2 /tags/4/key"
        ),
        (#"{"title":"x","heroImage":{}}"#, "422 /heroImage/url"),
        (#"{"title":"x","heroImage":{"url":"ftp://a/b"}}"#, "422 /heroImage/url"),
        (#"{"title":"x","heroImage":{"url":"https://a.b/c","alt":"d"}}"#, "422 /heroImage/alt"),
        (#"{"title":"x","source":{"url":"https://u:p@a.b/"}}"#, "422 /source/name /source/url"),
        (#"{"slug":"","title":7,"language":"","more":0}"#, "422 /more /slug /title /language"),
    ])
    func `every invalid value of a body is reported`(body: String, result: String) throws {
        #expect(try create(body) == result)
    }

    @Test(arguments: [
        (#"{}"#, "accepted"), (#"{"title":null,"slug":null}"#, "accepted"),
        (#"{"heroImage":{"alternativeText":null},"source":{}}"#, "accepted"),
        (#"{"title":""}"#, "422 /title"), (#"{"status":"gone"}"#, "422 /status"),
        (#"{"id":null}"#, "422 /id"), (#"{"revision":3}"#, "422 /revision"),
        (#"{"heroImage":{"url":"x","size":1}}"#, "422 /heroImage/size /heroImage/url"),
        (#"{"source":"x"}"#, "422 /source"), (#"{"tags":[null]}"#, "422 /tags/0"),
        (#"[]"#, "422 #"),
    ])
    func `every invalid change of a patch is reported`(body: String, result: String) throws {
        let fields: HTTPFields = [.contentType: "application/merge-patch+json"]
        let path = "/v1/articles/\(Samples.id)"
        #expect(
            try rejection(UpdateArticleRequest.self, path, fields: fields, body: body) == result)
    }

    @Test(arguments: [
        (#"{"title":"x","revision":3,"wordCount":1,"readingMinutes":1}"#, "accepted"),
        (#"{"title":"x","revision":0,"wordCount":"1"}"#, "422 /revision /wordCount"),
        (#"{"title":"x","html":"y"}"#, "422 /html"), (#"{}"#, "422 /title"),
    ])
    func `every invalid value of a replacement is reported`(
        body: String, result: String
    ) throws {
        let fields: HTTPFields = [.contentType: "application/json"]
        let path = "/v1/articles/\(Samples.id)"
        #expect(
            try rejection(ReplaceArticleRequest.self, path, fields: fields, body: body) == result)
    }

    @Test func `a served article can be sent back unchanged`() throws {
        for article in [Samples.article, Samples.bare] {
            let value = try JSONParser.parse(article.json())
            let replacement = try Article.Replacement(strict: value)
            #expect(replacement.content.title == article.title)
            #expect(replacement.content.tags == article.tags.map(\.name))
            #expect(replacement.readOnly.revision == article.revision)
        }
        _ = try Author.Replacement(strict: JSONParser.parse(Samples.author.json()))
    }

    @Test(arguments: [
        (#"{"name":"Ada"}"#, "accepted"), (#"{}"#, "422 /name"),
        (#"{"name":"","about":1,"website":"ada"}"#, "422 /name /about /website"),
        (#"{"name":"Ada","email":"a@b"}"#, "422 /email"),
    ])
    func `every invalid value of an author is reported`(
        body: String, result: String
    ) throws {
        let fields: HTTPFields = [.contentType: "application/json"]
        let path = "/v1/authors/\(Samples.authorID)"
        #expect(
            try rejection(ReplaceAuthorRequest.self, path, fields: fields, body: body) == result)
    }

    private func create(_ body: String) throws -> String {
        try rejection(
            CreateArticleRequest.self, "/v1/articles", fields: [.contentType: "application/json"],
            body: body)
    }
}
