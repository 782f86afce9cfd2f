import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// The copy alone, and the copy with the backend's reply behind it.
@Suite struct RepliesTests {
    private static func backend(_ control: String = "no-cache") -> TestBackend {
        TestBackend { request, count in
            guard count < 2 else { throw TransportError.offline("no network") }
            let fields: HTTPFields = [.etag: "\"\(count)\"", .cacheControl: control]
            return page("\(count)", fields: fields)
        }
    }

    private func read(
        _ replies: BackendReplies<FetchArticlesRequest>
    ) async -> (sources: [BackendReply<Page<Article>>.Source], error: BackendError?) {
        var sources: [BackendReply<Page<Article>>.Source] = []
        do throws(BackendError) {
            for try await reply in replies { sources.append(reply.source) }
            return (sources, nil)
        } catch { return (sources, error) }
    }

    @Test func `a copy is read without using the network`() async throws {
        let backend = Self.backend()
        let service = backend.service()
        let options = RequestOptions(freshness: .cached)
        let early = await outcome { try await service.send(list, options: options) }.error
        #expect(early == .notCached && backend.requests.isEmpty)
        _ = try await service.send(list)
        let reply = try await service.reply(to: list, options: options)
        #expect(reply.source == .cached && reply.item.next == "0")
        #expect(backend.requests.count == 1)
        let uncached = backend.service(cache: nil)
        #expect(
            await outcome { try await uncached.send(list, options: options) }.error == .notCached)
    }

    @Test func `the copy is delivered first, then the reply or the error`()
        async throws
    {
        let backend = Self.backend()
        let service = backend.service()
        let first = await read(service.replies(to: list))
        #expect(first.sources == [.network] && first.error == nil)
        let second = await read(service.replies(to: list))
        #expect(second.sources == [.cached, .network] && second.error == nil)
        let third = await read(service.replies(to: list))
        #expect(third.sources == [.cached] && third.error?.allowsStale == true)
        let other = await read(service.replies(to: FetchArticlesRequest(limit: 1)))
        #expect(other.sources.isEmpty && other.error?.allowsStale == true)
    }

    @Test func `options fit in one line`() {
        let options = RequestOptions(
            freshness: .reloaded, timeout: .seconds(5), idempotencyKey: "k")
        #expect(options.freshness == .reloaded && options.timeout == .seconds(5))
        #expect(options.idempotencyKey == "k" && options.streamStallTimeout == nil)
    }
}
