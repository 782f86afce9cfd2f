import ArticleAPI
import BroadsheetHTTP
import Testing

/// `If-None-Match` and `If-Modified-Since` (RFC 9110 §13), with and without cached responses.
@Suite struct ConditionTests {
    private static let senders: [Sender] = [.anonymous, .reader, .editor]
    private static let lines = [
        "/v1/articles/\(Samples.bread)", "/v1/articles/fresh-bread?fields=title", "/v1/articles",
        "/v1/articles?tag=home&limit=1", "/v1/tags", "/v1/authors", "/v1/authors/\(Samples.mina)",
    ]

    @Test(arguments: senders)
    func `a current copy is not sent again`(sender: Sender) async throws {
        try await TestBackend.run { server in
            for target in Self.lines {
                let whole = try server.send("GET \(target)", as: sender)
                let tag = try #require(whole.fields[.etag])
                for value in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    for method in ["GET", "HEAD"] {
                        let response = try server.send(
                            "\(method) \(target)", as: sender, with: [.ifNoneMatch: value])
                        #expect(response.summary == "304", "\(target) \(value)")
                        // RFC 9110 §15.4.5: the fields that a 200 would have had.
                        for name in [HTTPFieldName.etag, .cacheControl, .vary, .lastModified] {
                            #expect(response.fields[name] == whole.fields[name])
                        }
                        #expect(!response.fields.contains(.contentType))
                    }
                }
                for value in ["\"x\"", "\"1-0000000000000000\"", "nonsense"] {
                    let response = try server.send(
                        "GET \(target)", as: sender, with: [.ifNoneMatch: value])
                    #expect(response.summary == "200" && response.body == whole.body)
                }
            }
        }
    }

    @Test(arguments: senders)
    func `a time is compared for single articles, and only without a tag`(sender: Sender)
        async throws
    {
        let same = "Fri, 15 Jan 2027 08:00:01 GMT"
        let before = "Fri, 15 Jan 2027 08:00:00 GMT"
        let rows: [(HTTPFields, String)] = [
            ([.ifModifiedSince: same], "304"), ([.ifModifiedSince: before], "200"),
            ([.ifModifiedSince: "Friday, 15-Jan-27 08:00:01 GMT"], "304"),
            ([.ifModifiedSince: "yesterday"], "200"),
            ([.ifModifiedSince: same, .ifNoneMatch: "\"x\""], "200"),
        ]
        var scenarios = rows.map { fields, summary in
            Scenario(
                "one", sender, "GET /v1/articles/fresh-bread", with: fields, gives: summary)
        }
        scenarios += ["/v1/articles", "/v1/tags", "/v1/authors"].map {
            Scenario("a list", sender, "GET \($0)", with: [.ifModifiedSince: same], gives: "200")
        }
        try await ScenarioTable("times", scenarios).playWithoutChange(afterMilliseconds: 61_000)
    }

    @Test(arguments: senders)
    func `every validator changes after an edit`(sender: Sender) async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.bread)"
            let tags = try Self.lines.map {
                try server.send("GET \($0)", as: sender).fields[.etag] ?? ""
            }
            server.pass(milliseconds: 1_000)
            try server.send(
                "PATCH \(path)", as: .editor, #"{"title":"Good bread","tags":["Bread","New"]}"#)
            server.pass(milliseconds: 61_000)
            for (target, tag) in zip(Self.lines, tags) where !target.contains("author") {
                let response = try server.send(
                    "GET \(target)", as: sender, with: [.ifNoneMatch: tag])
                #expect(response.summary == "200", "\(target)")
            }
            let since = try server.send(
                "GET \(path)", as: sender,
                with: [.ifModifiedSince: "Fri, 15 Jan 2027 08:00:00 GMT"])
            #expect(since.summary == "200")
            #expect(since.fields[.lastModified] == "Fri, 15 Jan 2027 08:00:02 GMT")
        }
    }

    @Test(arguments: senders)
    func `two edits within a second also differ in their times`(sender: Sender) async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.bread)"
            // The time of an earlier response must not match a later edit.
            for title in ["A", "B", "C", "D", "E", "F"] {
                server.pass(milliseconds: 300)
                try server.send("PATCH \(path)", as: .editor, "{\"title\":\"\(title)\"}")
                let seen = try server.send("GET \(path)", as: sender)
                var times = ["Fri, 15 Jan 2027 08:00:00 GMT"]
                if let told = seen.fields[.lastModified] { times.append(told) }
                server.pass(milliseconds: 100)
                try server.send("PATCH \(path)", as: .editor, "{\"title\":\"\(title)2\"}")
                for time in times {
                    let again = try server.send(
                        "GET \(path)", as: sender, with: [.ifModifiedSince: time])
                    #expect(again.summary == "200")
                }
            }
            // A cached response is updated, too.
            server.pass(milliseconds: 61_000)
            let settled = try server.send("GET \(path)", as: sender)
            #expect(settled.fields[.lastModified] == "Fri, 15 Jan 2027 08:00:03 GMT")
        }
    }

    @Test func `a write with an unsupported precondition is rejected`() async throws {
        let article = "/v1/articles/\(Samples.bread)"
        let title = #"{"title":"A"}"#
        let writes: [(String, String?)] = [
            ("POST /v1/articles", title), ("PUT \(article)", title), ("PATCH \(article)", title),
            ("DELETE \(article)", nil), ("POST \(article)/revisions/1/restore", nil),
            ("PUT /v1/authors/\(Samples.mina)", #"{"name":"A"}"#),
        ]
        let conditions: [(HTTPFields, String)] = [
            ([.ifNoneMatch: "*", .ifMatch: "*"], "@If-None-Match"),
            ([.ifUnmodifiedSince: "Fri, 15 Jan 2027 08:00:00 GMT"], "@If-Unmodified-Since"),
        ]
        let scenarios = writes.flatMap { line, json in
            conditions.map { fields, place in
                Scenario(
                    "a condition", .editor, line, json, with: fields,
                    gives: "400 malformed-request \(place)")
            }
        }
        try await ScenarioTable("conditions", scenarios).playWithoutChange()
    }
}
