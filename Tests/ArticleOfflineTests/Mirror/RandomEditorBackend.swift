import ArticleAPI
import ArticleAccounts
import ArticleClient
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServiceCore

/// A real backend on a socket, whose editor writes at random, the same way for a seed.
final class RandomEditorBackend: Sendable {
    /// The token of the editor.
    static let editor = "operator-0123456789-0123456789-0123456789"

    private struct State {
        var random: SplitMix64
        var created = 0
    }

    let origin: HTTPOrigin
    /// The token of a reader.
    let reader: String
    private let client: TestClient
    private let clock: Lock<Timestamp>
    private let state: Lock<State>

    private init(
        _ client: TestClient, at origin: HTTPOrigin, _ clock: Lock<Timestamp>, reader: String,
        seed: UInt64
    ) {
        self.client = client
        self.reader = reader
        self.clock = clock
        state = Lock(State(random: SplitMix64(seed: seed)))
        self.origin = origin
    }

    /// Serves a new database while the body runs.
    static func run(
        seed: UInt64, _ body: @Sendable (RandomEditorBackend) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let opening = Timestamp(milliseconds: 1_800_000_000_000)
        let clock = Lock(opening)
        let key = APIKey(name: "A reader", role: .reader, at: opening, system: .real)
        try await store.createKey(key.record)
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(editor),
            system: .clock { clock.withLock { $0 } }, log: { _ in })
        var configuration = ServerConfiguration.local()
        backend.addCache(to: &configuration)
        try await TestServer.run(backend.router(), with: configuration) { test in
            async let _: Void = backend.streams.run()
            let origin = try #require(HTTPOrigin("http://\(test.address)"))
            let fixture = RandomEditorBackend(
                test.client, at: origin, clock, reader: key.text, seed: seed)
            for number in 0..<3 {
                try fixture.send(
                    .put, "/v1/authors/\(id(0xB0 + number))", #"{"name":"W\#(number)"}"#)
            }
            try await body(fixture)
        }
        await store.close()
        withExtendedLifetime(folder) {}
    }

    static func id(_ number: Int) -> String {
        "01900000-0000-7000-8000-" + String(0x1000_0000_0000 + number, radix: 16)
    }

    /// Returns the articles in the list of a filter.
    func list(_ filter: FetchChangesRequest, as token: String) throws -> [Article] {
        let request = FetchArticlesRequest(
            limit: 100, tags: filter.tags, author: filter.author, language: filter.language,
            status: filter.status, source: filter.source)
        let page = try Page<Article>(
            mapping: send(.get, RequestPrinter.target(of: request), as: token).body)
        try #require(page.next == nil)
        return page.items
    }

    // MARK: Editing

    /// Changes one thing.
    func edit() throws {
        clock.withLock { $0 = $0.advanced(byMilliseconds: 1_000) }
        try state.withLock { state in
            let target = (0..<state.created).randomElement(using: &state.random)
            let path = target.map { "/v1/articles/\(Self.id(0x300 + $0))" }
            switch (Int.random(in: 0..<12, using: &state.random), path) {
            case (0...2, _), (_, nil): return try create(&state)
            case (3, let path?): try patch(path, #"{"tags":[\#(Self.tags(&state))]}"#)
            case (4, let path?): try patch(path, #"{"status":"published"}"#)
            case (5, let path?): try patch(path, #"{"status":"draft"}"#)
            case (6, let path?):
                try patch(path, #"{"authors":[{"id":"\#(Self.author(&state))"}]}"#)
            case (7, let path?): try patch(path, #"{"language":"ko"}"#)
            case (8, let path?): try send(.delete, path)
            case (9, let path?):
                let number = Int.random(in: 1...3, using: &state.random)
                try send(.post, "\(path)/revisions/\(number)/restore")
            case (10, _):
                let name = Int.random(in: 0..<50, using: &state.random)
                try send(
                    .put, "/v1/authors/\(Self.author(&state))", #"{"name":"Name \#(name)"}"#,
                    with: [.ifMatch: "*"])
            case (_, let path?): try patch(path, #"{"title":"T\#(state.random.next())"}"#)
            }
        }
    }

    /// Creates a published article.
    @discardableResult
    func publish(_ title: String, tags: [String] = []) throws -> Article.ID {
        let names = tags.map { #""\#($0)""# }.joined(separator: ",")
        let made = try send(
            .post, "/v1/articles",
            #"{"title":"\#(title)","status":"published","tags":[\#(names)]}"#)
        return try Article(mapping: made.body).id
    }

    func patch(_ path: String, _ json: String) throws { try send(.patch, path, json) }

    private func create(_ state: inout State) throws {
        let status =
            ["draft", "published", "published", "archived"]
            .randomElement(using: &state.random) ?? "draft"
        let time = "2026-0\(Int.random(in: 1...9, using: &state.random))-10T00:00:00Z"
        try send(
            .post, "/v1/articles",
            """
            {"id":"\(Self.id(0x300 + state.created))","title":"T\(state.created)",\
            "tags":[\(Self.tags(&state))],"authors":[{"id":"\(Self.author(&state))"}],\
            "source":{"name":"Wire"},"status":"\(status)","publishedAt":"\(time)"}
            """)
        state.created += 1
    }

    private static func tags(_ state: inout State) -> String {
        ["a", "b", "c"].filter { _ in Bool.random(using: &state.random) }.map { "\"\($0)\"" }
            .joined(separator: ",")
    }

    private static func author(_ state: inout State) -> String {
        id(0xB0 + Int.random(in: 0..<3, using: &state.random))
    }

    @discardableResult
    private func send(
        _ method: HTTPMethod, _ target: String, _ json: String? = nil, as token: String = editor,
        with fields: HTTPFields = HTTPFields()
    ) throws -> ReceivedResponse {
        var fields = fields
        fields.append(.authorization, "Bearer \(token)")
        if json != nil {
            fields.append(
                .contentType,
                method == .patch ? "application/merge-patch+json" : "application/json")
        }
        let response = try client.send(
            method, target, fields: fields, body: Array((json ?? "").utf8))
        // What is edited may have been deleted, or have no such revision.
        let isExpected = response.status < 300 || (method != .get && response.status == 404)
        try #require(isExpected, "\(method) \(target): \(response.status)")
        return response
    }
}
