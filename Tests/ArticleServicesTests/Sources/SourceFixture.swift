import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleConnectors
@testable import ArticleServiceCore
@testable import ArticleServices

/// Sources of a backend that are polled on demand, from scripted or real servers.
struct SourceFixture: Sendable {
    /// The response to a request; `nil` if there is none until the request is cancelled.
    typealias Script = @Sendable (HTTPRequest, HTTPOrigin) -> HTTPResponse?

    let server: TestBackend
    let poller: SourcePoller
    private let log: Lock<[HTTPRequest]>
    private let urls: Lock<[String]>
    private let failures: Lock<[SourceNotice]>
    private let script: Lock<Script>
    private let error: Lock<HTTPClientError?>

    /// - Parameters:
    ///   - client: sends the requests; `nil` for the script.
    ///   - markdown: renders bodies; `nil` for the backend's.
    init(
        _ server: TestBackend, client: OutboundClient? = nil, markdown: MarkdownRenderer? = nil,
        timeout: Duration = .seconds(60), random: Double = 0.5
    ) {
        self.server = server
        let (log, urls) = (Lock([HTTPRequest]()), Lock([String]()))
        let failures = Lock([SourceNotice]())
        let silence: Script = { _, _ in nil }
        let (script, error) = (Lock(silence), Lock<HTTPClientError?>(nil))
        (self.log, self.urls, self.failures) = (log, urls, failures)
        (self.script, self.error) = (script, error)
        let environment = OutboundEnvironment(
            agent: "Broadsheet/test",
            exchange: { request, origin, options throws(HTTPClientError) in
                log.withLock { $0.append(request) }
                let target = String(decoding: request.target.bytes, as: UTF8.self)
                urls.withLock { $0.append("\(origin)\(target)") }
                if let client { return try await client.exchange(request, with: origin, options) }
                if let error = error.withLock({ $0 }) { throw error }
                if let response = script.withLock({ $0 })(request, origin) { return response }
                // Longer than any test.
                try? await Task.sleep(for: .seconds(1 << 20))
                throw .cancelled
            },
            timeout: timeout, system: .clock(randomFraction: random) { server.now })
        let report: @Sendable (SourceNotice) -> Void = { notice in
            failures.withLock { $0.append(notice) }
        }
        poller =
            if let markdown {
                SourcePoller(
                    store: server.backend.store, markdown: markdown, defaultLanguage: "en",
                    signal: PollerWakeup(), policy: SourcePolicy(), environment, report: report)
            } else { server.backend.sourcePoller(in: environment, report: report) }
    }

    var requests: [HTTPRequest] { log.withLock { $0 } }
    /// The URLs of the requests since the last call.
    func takeURLs() -> [String] {
        urls.withLock { urls in
            defer { urls = [] }
            return urls
        }
    }
    var notices: [SourceNotice] { failures.withLock { $0 } }

    func respond(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    /// Every request fails without a response.
    func fail(_ error: HTTPClientError) { self.error.withLock { $0 = error } }

    /// Responds to everything with this document.
    func serve(_ body: String, _ fields: HTTPFields = [:], status: HTTPStatus = .ok) {
        respond { _, _ in HTTPResponse(status, fields: fields, body: .bytes(Array(body.utf8))) }
    }

    func add(
        _ url: String = "https://example.org/feed", attributes: String = #","publish":true"#
    ) throws -> ContentSource {
        let made = try server.send(
            "POST /v1/sources", as: .admin, #"{"url":"\#(url)"\#(attributes)}"#)
        try #require(made.status == 201, "\(made)")
        return try ContentSource(mapping: made.body)
    }

    func source(_ id: ContentSource.ID) throws -> ContentSource {
        try ContentSource(
            mapping: server.send("GET /v1/sources/\(id)", as: .admin).body)
    }

    /// Polls the source now; returns its state afterwards.
    @discardableResult
    func poll(_ id: ContentSource.ID) async throws -> ContentSource {
        let asked = try server.send("POST /v1/sources/\(id)/poll", as: .admin)
        try #require(asked.status == 202)
        await poller.pollDueSources()
        return try source(id)
    }

    /// The articles that this sender sees, with their bodies, newest first.
    func articles(as sender: Sender = .anonymous) throws -> [Article] {
        let fields = "id,slug,title,summary,body,language,authors,tags,heroImage,status,publishedAt"
        let rest = "createdAt,updatedAt,revision,source,wordCount,readingMinutes"
        return try Page<Article>(
            mapping: server.send(
                "GET /v1/articles?limit=100&fields=\(fields),\(rest)", as: sender
            ).body
        ).items
    }

    /// The counts of entries that are not zero.
    var entries: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: poller.statistics.entries.filter { $0.count > 0 }
                .map { ($0.outcome, $0.count) })
    }
}
