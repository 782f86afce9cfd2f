import ArticleAPI
import ArticleConnectors
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Foundation
import Testing

/// The receiver of a webhook, which keeps a copy of what everybody sees, as the manual says.
final class WebhookFollower: Follower {
    private struct Copy {
        var articles: [Article.ID: Article] = [:]
        /// The token up to which it has everything.
        var token: String?
    }

    private let copy = Lock(Copy())

    func follow(_ server: CutServer) async throws {
        try await server.whileServing { backend in
            let receiver = try WebhookReceiver(
                "https://receiver.example/",
                secret: #require(SharedSecret("the-secret-of-webhooks-in-model-tests")))
            var system = SystemEnvironment.clock { server.clock.time }
            system.sleep = { _ in await Task.yield() }
            let webhooks = try await backend.webhooks(
                to: [receiver],
                in: OutboundEnvironment(
                    agent: "test",
                    exchange: { request, _, _ throws(HTTPClientError) in
                        HTTPResponse(try await self.receive(request.body, from: server))
                    },
                    system: system),
                report: { _ in })
            if copy.withLock({ $0.token == nil }) { try await beginAnew(with: server) }
            let sending = UnstructuredTask.start { await webhooks.run() }
            // Until the receiver has everything.
            while !server.isOffline {
                let token = try await Self.page(server, since: "now").page?.next
                let records = try await backend.store.webhooks()
                if records.allSatisfy({ $0.token == token }) { break }
                await Task.yield()
            }
            sending.cancel()
            await sending.value
        }
    }

    /// A batch, whose confirmation may be lost.
    private func receive(
        _ body: [UInt8], from server: CutServer
    ) async throws(HTTPClientError) -> HTTPStatus {
        guard !server.isOffline else { throw .disconnected }
        do {
            let batch = try Batch(parsing: body)
            if batch.isReset {
                try await beginAnew(with: server)
            } else if try await mayApply(batch, server) {
                copy.withLock { copy in
                    for change in batch.changes { Self.apply(change, to: &copy.articles) }
                    copy.token = batch.next
                }
            }
        } catch {
            // Not sent again, which would not help.
            Issue.record("\(error)")
            return .noContent
        }
        guard server.confirms() else { throw .disconnected }
        return .noContent
    }

    /// Returns true if the batch continues from the state of the copy; otherwise it has begun
    /// again.
    private func mayApply(_ batch: Batch, _ server: CutServer) async throws -> Bool {
        let token = copy.withLock { $0.token } ?? ""
        guard batch.since != token else { return true }
        guard try await Self.page(server, since: token).status == .gone else { return true }
        try await beginAnew(with: server)
        return false
    }

    private func beginAnew(with server: CutServer) async throws {
        var new = Copy()
        var hasMore = true
        while hasMore {
            let page = try #require(await Self.page(server, since: new.token).page)
            for change in page.changes { Self.apply(change, to: &new.articles) }
            (new.token, hasMore) = (page.next, page.more)
        }
        copy.withLock { $0 = new }
    }

    private static func page(
        _ server: CutServer, since token: String?
    ) async throws -> (status: HTTPStatus, page: ChangePage<Article>?) {
        let response = try await server.send(
            "GET /v1/changes" + (token.map { "?since=\($0)" } ?? ""), isAnonymous: true)
        guard response.status == .ok else { return (response.status, nil) }
        return (.ok, try ChangePage<Article>(mapping: response.body))
    }

    private static func apply(
        _ change: SyncChange<Article>, to articles: inout [Article.ID: Article]
    ) {
        switch change {
        case .putArticle(let article, let revision):
            if revision >= articles[article.id]?.revision ?? 0 { articles[article.id] = article }
        case .deleteArticle(let id, let revision):
            if revision >= articles[id]?.revision ?? 0 { articles[id] = nil }
        default: break
        }
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {
        // Names of authors change without their articles.
        func nameless(_ articles: some Sequence<Article>) -> [Article.ID: Article] {
            Dictionary(
                uniqueKeysWithValues: articles.map { article in
                    var nameless = article
                    nameless.authors = []
                    return (article.id, nameless)
                })
        }
        let copied = copy.withLock { $0 }.articles.values
        let listed = try await server.articles()
        #expect(nameless(copied) == nameless(listed), comment)
    }

    /// A batch as a receiver gets it.
    private struct Batch {
        let changes: [SyncChange<Article>]
        let since: String
        let next: String
        let isReset: Bool

        init(parsing body: [UInt8]) throws {
            let page = try ChangePage<Article>(
                mapping: Array(body.dropLast()) + Array(#","more":false}"#.utf8))
            let members = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            (changes, next) = (page.changes, page.next)
            since = try #require(members?["since"] as? String)
            isReset = members?["reset"] as? Bool ?? false
        }
    }
}
