import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport

/// The body of one response with a stream of changes, which a test writes.
final class LiveSource: Sendable {
    /// Is released with the body.
    private final class Lease: Sendable {
        let closed: Signal

        init(_ closed: Signal) { self.closed = closed }

        deinit { closed.give() }
    }

    private let pieces: AsyncThrowingStream<[UInt8], any Error>
    private let writer: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// Given when a body was released, which ends an exchange.
    let closed = Signal()

    init() { (pieces, writer) = AsyncThrowingStream.makeStream() }

    /// A body that has ended.
    convenience init(_ texts: String...) {
        self.init()
        for text in texts { send(text) }
        end()
    }

    /// Sends a piece.
    func send(_ text: String) { writer.yield(Array(text.utf8)) }

    func end() { writer.finish() }

    func fail(_ error: TransportError) { writer.finish(throwing: error) }

    var response: HTTPResponse {
        let lease = Lease(closed)
        let body = HTTPBodyStream { [pieces] in
            defer { withExtendedLifetime(lease) {} }
            for try await piece in pieces { return piece }
            return nil
        }
        return HTTPResponse(
            .ok, fields: [.contentType: "text/event-stream"], body: .stream(body))
    }

    /// A `change` event with the deletion of an article.
    static func change(_ token: String) -> String {
        change(token, .deleteArticle(Article.ID(at: Timestamp(milliseconds: 1)), revision: 1))
    }

    static func change(_ token: String, _ change: SyncChange<Article>) -> String {
        let data = String(decoding: change.json(), as: UTF8.self)
        return "event: change\nid: \(token)\ndata: \(data)\n\n"
    }

    static func ready(_ token: String) -> String { "event: ready\nid: \(token)\ndata: {}\n\n" }
}

/// The steps of live changes as short texts: `2 c more` for a page of two changes that ends at the
/// token `c`, `2 c` if nothing more is to be fetched, or `anew`.
struct LiveSteps {
    private var iterator: LiveChanges.Iterator

    init(_ live: LiveChanges) { iterator = live.makeAsyncIterator() }

    mutating func next() async throws -> String {
        switch try await iterator.next(isolation: nil) {
        case .page(let page)?: "\(page.changes.count) \(page.next)" + (page.more ? " more" : "")
        case .restart?: "anew"
        case nil: "the end"
        }
    }

    mutating func next(_ count: Int) async throws -> [String] {
        var steps: [String] = []
        for _ in 0..<count { steps.append(try await next()) }
        return steps
    }
}

extension HTTPRequest {
    /// The beginning of a request for changes: `stream a a`, with its `since` and its
    /// `Last-Event-ID`, or `page a`.
    var beginning: String {
        let isStream = target.path.elementsEqual("/v1/changes/stream".utf8)
        let query = String(decoding: target.query ?? [], as: UTF8.self)
        let since = query.split(separator: "&").first { $0.hasPrefix("since=") }
        var parts = [isStream ? "stream" : "page"]
        if let since { parts.append(String(since.dropFirst("since=".count))) }
        if let id = fields[.lastEventID] { parts.append(id) }
        return parts.joined(separator: " ")
    }
}
