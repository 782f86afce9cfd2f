import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// A pool of a server's threads, of which one never ends what it does.
struct StuckPool: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The function at which the thread is pinned (``PinnedThreads``).
    let function: String
    let text: String
    /// The request that makes it work.
    let request: Request
    /// The text about it in the log of a stop.
    let left: String?
    /// True if the pool reads a response that is being sent. An upgrade does not wait for it.
    var isSending: Bool { function == "pread" }
    let arguments: [String]

    struct Request: Sendable {
        let method: HTTPMethod
        let target: String
        let body: String
        let fields: HTTPFields
    }

    init(
        _ name: String, at function: String, about text: String = "", by method: HTTPMethod = .get,
        _ target: String, _ body: String = "", fields: HTTPFields = [:], leaves: String?,
        _ arguments: [String] = []
    ) {
        testDescription = name
        (self.function, self.text, left, self.arguments) = (function, text, leaves, arguments)
        request = Request(method: method, target: target, body: body, fields: fields)
    }

    private static let export = """
        <rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>T</title>
        <wp:wxr_version>1.2</wp:wxr_version></channel></rss>
        """

    static let writer = StuckPool(
        "writer", at: "flush", about: "-wal", by: .post, "/v1/articles", #"{"title":"T"}"#,
        leaves: "a write")
    static let reader = StuckPool(
        "readers", at: "step", about: "name, live, published FROM facets", "/v1/tags",
        leaves: "a read")
    static let source = StuckPool(
        "conversion of a source", at: "parse", by: .post, "/v1/sources",
        #"{"url":"http://SELF/feeds/articles.atom"}"#, leaves: "sources",
        ["--allow-private-sources"])

    static let all = [
        writer, reader, source,
        StuckPool(
            "search", at: "step", about: "SELECT text FROM bodies", "/v1/search?q=butter",
            leaves: "a read"),
        StuckPool(
            "exports", at: "step", about: "SELECT number, id FROM articles ORDER BY id",
            "/v1/admin/export", leaves: "a read"),
        StuckPool(
            "spooled responses", at: "pread", about: "(deleted)", "/v1/admin/export",
            leaves: "a request"),
        StuckPool(
            "files of imports", at: "write", about: "FOLDER", by: .post,
            "/v1/admin/import?name=a.md", "# Bread", leaves: "a request"),
        StuckPool(
            "conversion of an import", at: "parse", by: .post, "/v1/admin/import?name=a.xml",
            export, leaves: "a read"),
        StuckPool(
            "hashing", at: "hash", by: .post, "/v1/users",
            #"{"name":"mina","password":"correct horse","displayName":"Mina"}"#,
            leaves: "a request", ["--sign-up", "open"]),
        // Each of its threads begins by lowering its priority; what waits for that is cancelled.
        StuckPool(
            "index of the search", at: "background", by: .post, "/v1/articles",
            #"{"title":"Rye","status":"published"}"#, leaves: nil),
        StuckPool(
            "compression", at: "deflate", "/v1/articles?fields=body",
            fields: [.acceptEncoding: "gzip"],
            leaves: "a request"),
        // The task that waits for it is cancelled.
        StuckPool(
            "names", at: "resolve", about: "feeds.invalid", by: .post, "/v1/sources",
            #"{"url":"https://feeds.invalid/feed"}"#, leaves: nil),
    ]
}

/// A server one thread of which is pinned.
struct StuckServer {
    let served: RunningServer
    let server: ReplacedServer
    private let threads: PinnedThreads
    /// The client that waits in vain.
    private let client: RawConnection

    static let body = String(repeating: "bread and butter ", count: 500)

    init(
        _ pool: StuckPool, in folder: TemporaryFolder, _ database: String,
        _ arguments: [String] = ["--grace", "1"]
    ) async throws {
        threads = try PinnedThreads()
        var environment = threads.environment
        environment["BROADSHEET_ADMIN_KEY"] = RunningServer.adminKey
        served = try RunningServer(
            Program.start(
                ["serve", "--database", database, "--listen", "127.0.0.1:0", "--log", "off"]
                    + pool.arguments + arguments, environment: environment))
        server = ReplacedServer(served, database)
        let article = try served.send(
            .post, "/v1/articles",
            #"{"title":"Bread","body":"\#(Self.body)","tags":["a"],"status":"published"}"#)
        try #require(article.status == 201)
        let served = served
        try #require(
            await eventually {
                (try? served.client.get("/v1/search?q=bread"))?.text.contains("Bread") == true
            })
        let process = served.program.processID
        let text = pool.text == "FOLDER" ? folder.path : pool.text
        try threads.pin(process, at: pool.function, about: text)
        client = try RawConnection(served.addresses[0])
        let request = pool.request
        let body = request.body.replacing("SELF", with: "\(served.addresses[0])")
        var fields = request.fields
        // What the public reads is cached, and compressed for that.
        if request.method != .get || request.target.contains("admin") {
            fields[.authorization] = "Bearer \(RunningServer.adminKey)"
        }
        if !body.isEmpty {
            fields[.contentType] =
                request.target.contains("import")
                ? "application/octet-stream" : "application/json"
        }
        let lines = fields.all.map { "\($0.name): \($0.value)\r\n" }.joined()
        try client.send(
            "\(request.method) \(request.target) HTTP/1.1\r\nHost: localhost\r\n\(lines)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try #require(await threads.isPinned())
    }
}
