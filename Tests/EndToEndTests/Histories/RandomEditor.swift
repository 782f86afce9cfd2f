import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// An editor who writes at random to a few articles and authors of a server.
struct RandomEditor {
    private var random: SplitMix64
    private var articles: [Article.ID] = []
    private static let authors = ["a", "b"].map { "01900000-0000-7000-8000-10000000000\($0)" }

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Goes on with other random numbers.
    mutating func reseed(_ seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func below(_ number: Int) -> Int { Int.random(in: 0..<number, using: &random) }

    mutating func isTrue(in number: Int) -> Bool { below(number) == 0 }

    private var tags: String {
        mutating get { ["", #""a""#, #""b""#, #""a","b""#][below(4)] }
    }

    mutating func write(to server: CutServer) async throws {
        guard let id = articles.randomElement(using: &random), !isTrue(in: 4) else {
            return try await create(on: server)
        }
        switch below(8) {
        case 0:
            try await send(
                "PUT /v1/authors/\(Self.authors[below(2)])", #"{"name":"N\#(random.next())"}"#,
                to: server, with: [.ifMatch: "*"])
        case 1: try await send("DELETE /v1/articles/\(id)", to: server)
        case 2: try await patch(id, #"{"tags":[\#(tags)]}"#, on: server)
        case 3:
            let status = ["draft", "published", "archived"][below(3)]
            try await patch(id, #"{"status":"\#(status)"}"#, on: server)
        case 4: try await patch(id, #"{"body":"Text \#(random.next())."}"#, on: server)
        default: try await patch(id, #"{"title":"T\#(random.next())"}"#, on: server)
        }
    }

    /// Creates the authors.
    func begin(on server: CutServer) async throws {
        for id in Self.authors {
            try await send("PUT /v1/authors/\(id)", #"{"name":"N"}"#, to: server)
        }
    }

    /// Creates something that everybody sees.
    mutating func publish(on server: CutServer) async throws {
        try await create(on: server, status: "published")
    }

    private mutating func create(on server: CutServer, status: String? = nil) async throws {
        let id = Article.ID(at: server.clock.time)
        let status = status ?? ["draft", "published", "published"][below(3)]
        if articles.count >= 5 {
            let old = articles.remove(at: below(articles.count))
            try await send("DELETE /v1/articles/\(old)", to: server)
        }
        try await send(
            "POST /v1/articles",
            """
            {"id":"\(id)","title":"T\(random.next())","body":"Text.","tags":[\(tags)],\
            "status":"\(status)","authors":[{"id":"\(Self.authors[below(2)])"}]}
            """, to: server)
        articles.append(id)
    }

    private func patch(_ id: Article.ID, _ json: String, on server: CutServer) async throws {
        try await send("PATCH /v1/articles/\(id)", json, to: server)
    }

    private func send(
        _ line: String, _ json: String? = nil, to server: CutServer,
        with fields: HTTPFields = HTTPFields()
    ) async throws {
        let status = try await server.send(line, json, with: fields).status
        // It may have been deleted.
        let isExpected = status.code < 300 || status == .notFound
        try #require(isExpected, "\(line) \(json ?? ""): \(status)")
    }
}
