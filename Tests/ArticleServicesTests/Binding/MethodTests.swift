import BroadsheetHTTP
import Testing

/// The methods and media types of each path, and the errors for other requests.
@Suite struct MethodTests {
    private static let article = "/v1/articles/\(Samples.bread)"

    /// Each path of the contract, and its `Allow`.
    private static let paths: [(path: String, allow: String)] = [
        ("/v1/articles", "GET, HEAD, OPTIONS, POST"),
        (article, "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"),
        ("\(article)/revisions", "GET, HEAD, OPTIONS"),
        ("\(article)/revisions/1", "GET, HEAD, OPTIONS"),
        ("\(article)/revisions/1/restore", "OPTIONS, POST"),
        ("/v1/deleted-articles", "GET, HEAD, OPTIONS"),
        ("\(article)/comments", "GET, HEAD, OPTIONS, POST"),
        ("/v1/comments", "GET, HEAD, OPTIONS"),
        ("/v1/comments/\(Samples.nobody)", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/me/bookmarks", "GET, HEAD, OPTIONS"),
        ("/v1/me/bookmarks/\(Samples.bread)", "DELETE, OPTIONS, PUT"),
        ("/", "GET, HEAD, OPTIONS"),
        ("/console", "GET, HEAD, OPTIONS"),
        ("/feeds/articles.atom", "GET, HEAD, OPTIONS"),
        ("/v1/preview", "OPTIONS, POST"),
        ("/v1/tags", "GET, HEAD, OPTIONS"),
        ("/v1/authors", "GET, HEAD, OPTIONS"),
        ("/v1/authors/\(Samples.mina)", "GET, HEAD, OPTIONS, PUT"),
        ("/v1/users/\(Samples.nobody)/sessions", "GET, HEAD, OPTIONS"),
        ("/v1/users/\(Samples.nobody)/sessions/0123456789abcdef", "DELETE, OPTIONS"),
        ("/v1/sources", "GET, HEAD, OPTIONS, POST"),
        ("/v1/sources/\(Samples.nobody)", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        ("/v1/sources/\(Samples.nobody)/poll", "OPTIONS, POST"),
    ]

    @Test func `OPTIONS and 405 list the allowed methods`() async throws {
        // Those of HTTP, a registered one that few servers know, and one of nobody.
        let methods = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "BREW",
        ]
        let scenarios = Self.paths.flatMap { path, allow in
            let offered = allow.split(separator: ", ").map(String.init)
            return methods.filter { !offered.contains($0) }.map { method in
                Scenario(
                    "not offered", .editor, "\(method) \(path)",
                    gives: method == "HEAD" ? "405" : "405 method-not-allowed",
                    fields: [(.allow, allow)])
            } + [
                Scenario(
                    "options", .anonymous, "OPTIONS \(path)", gives: "204",
                    fields: [(.allow, allow)])
            ]
        }
        try await ScenarioTable("methods", scenarios).playWithoutChange()
    }

    @Test(arguments: [
        "/v1", "/v1/", "/v1/articles/", "/v2/articles", "/v1/Articles", "/v1//articles",
        "\(article)/", "\(article)/revision", "\(article)/revisions/1/restore/", "/v1/tags/bread",
        "/v1/articles/a/b", "/admin", "/.env",
    ])
    func `other paths are not found`(path: String) async throws {
        try await TestBackend.run(samples: false) { server in
            for method in ["GET", "POST", "DELETE"] {
                let response = try server.send("\(method) \(path)", as: .editor)
                #expect(response.summary == "404 not-found")
            }
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await TestBackend.run { server in
            let targets = [
                "/v1/articles", "/v1/articles?limit=1&sort=publishedAt", Self.article,
                "/v1/articles/fresh-bread?fields=title", "/v1/tags", "/v1/authors",
                "/v1/authors/\(Samples.mina)", "\(Self.article)/revisions",
                "\(Self.article)/revisions/1", "/v1/articles/nothing", "/v1/articles?limit=0",
                "/v1/deleted-articles",
            ]
            let own: [HTTPFieldName] = [.date, .xRequestID]
            for target in targets {
                for sender in [Sender.anonymous, .editor] {
                    let get = try server.send("GET \(target)", as: sender)
                    let head = try server.send("HEAD \(target)", as: sender)
                    #expect(head.status == get.status && head.body.isEmpty)
                    var fields = (get.fields, head.fields)
                    for name in own {
                        fields.0.remove(name)
                        fields.1.remove(name)
                    }
                    // A problem contains the request's id, which always has the same length.
                    #expect(fields.0 == fields.1, "\(target)")
                    #expect(head.fields[.contentLength] == "\(get.body.count)")
                }
            }
        }
    }

    @Test func `a client that does not accept JSON receives 406`() async throws {
        let rejected = ["text/html", "application/json;q=0", "application/xml, text/*;q=0.5"]
        let taken = [
            "*/*", "application/*", "application/json", "text/html, */*;q=0.1",
            "application/json;charset=utf-8", "APPLICATION/JSON",
            "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "image/gif, */*;q=.01",
        ]
        let targets = ["/v1/articles", Self.article, "/v1/tags", "/v1/authors"]
        var scenarios = targets.flatMap { target in
            rejected.map {
                Scenario(
                    "rejected", .anonymous, "GET \(target)", with: [.accept: $0],
                    gives: "406 not-acceptable @Accept")
            }
                + taken.map {
                    Scenario(
                        "taken", .anonymous, "GET \(target)", with: [.accept: $0], gives: "200")
                }
        }
        scenarios.append(
            Scenario(
                "nothing is made first", .editor, "POST /v1/articles", #"{"title":"A"}"#,
                with: [.accept: "text/html"], gives: "406 not-acceptable @Accept"))
        try await ScenarioTable("accept", scenarios).playWithoutChange()
    }

    @Test func `bodies with other media types and codings are rejected`() async throws {
        let json = #"{"title":"A"}"#
        let put = "PUT \(Self.article)"
        func type(_ line: String, _ type: String, accept: String) -> Scenario {
            Scenario(
                "other type", .editor, line, json, with: [.contentType: type, .ifMatch: "*"],
                gives: "415 unsupported-media-type @Content-Type", fields: [(.accept, accept)])
        }
        let plain = "application/json"
        let patches = "application/merge-patch+json, application/json"
        try await ScenarioTable(
            "types",
            [
                type("POST /v1/articles", "text/plain", accept: plain),
                type("POST /v1/articles", "application/json; charset=utf-16", accept: plain),
                type("POST /v1/articles", "application/merge-patch+json", accept: plain),
                type(put, "application/x-www-form-urlencoded", accept: plain),
                type("PATCH \(Self.article)", "application/json-patch+json", accept: patches),
                Scenario(
                    "a coding", .editor, put, json,
                    with: [
                        .contentType: plain, .contentEncoding: "gzip", .ifMatch: "*",
                    ], gives: "415 unsupported-media-type @Content-Encoding"),
            ]
        ).playWithoutChange()
    }

    @Test func `an invalid query is rejected with its parameter, for all clients`() async throws {
        let rows = [
            ("limit=0", "?limit"), ("limit=1&limit=1", "?limit"), ("sort=title", "?sort"),
            ("page=2", "?page"), ("status=gone", "?status"), ("fields=titel", "?fields"),
            ("cursor=", "?cursor"), ("tag=a&author=b&x=1", "?author ?x"), ("limit", "?limit"),
            ("tag=%ff", "-"), ("publishedAfter=now", "?publishedAfter"), ("language=", "?language"),
        ]
        let scenarios = rows.flatMap { query, places in
            [Sender.anonymous, .editor].map {
                Scenario(
                    "wrong", $0, "GET /v1/articles?\(query)",
                    gives: "400 malformed-request \(places)")
            }
        }
        try await ScenarioTable("queries", scenarios).playWithoutChange()
    }
}
