import ArticleAPI
import BroadsheetHTTP

/// The reason why following was interrupted.
struct Interruption: Error {
    let error: BackendError
    /// True if a stream timed out before its first byte, as behind a proxy that waits for the end
    /// of each response.
    var isSwallowed = false

    init(_ error: BackendError) { self.error = error }
}

/// One stream of changes, as pages. Only one task at a time reads it.
final class LiveConnection: Sendable {
    private struct State {
        var parser: EventParser
        /// True if `ready` has arrived.
        var isCurrent = false
        /// True if anything has arrived, even a comment.
        var hasBytes = false
        /// The fault of the event behind a page.
        var failure: BackendError?
    }

    private let stream: BackendStream
    private let pageLimit: Int
    private let mapper = ResponseMapper<SyncChange<Article>>()
    private let state: Locked<State>

    /// - Parameters:
    ///   - stream: the body with the events.
    ///   - pageLimit: the maximum number of changes on a page.
    ///   - limitBytes: the maximum size of one event.
    init(_ stream: BackendStream, pageLimit: Int, limitBytes: Int) {
        self.stream = stream
        self.pageLimit = max(1, pageLimit)
        state = Locked(State(parser: EventParser(limitBytes: limitBytes)))
    }

    /// The backend's delay before reconnecting; `nil` if it has not set one.
    var retry: Duration? { state.withLock { $0.parser.retry } }

    /// The changes that have arrived together, as soon as there is one, or `ready`.
    func page() async -> Result<ChangePage<Article>, Interruption> {
        var pieces = stream.makeAsyncIterator()
        do throws(BackendError) {
            while true {
                if let page = try arrivedPage() { return .success(page) }
                guard let piece = try await pieces.next(isolation: nil) else {
                    throw .transport(
                        TransportFailure(.disconnected, "the backend has ended the stream"))
                }
                state.withLock { state in
                    state.hasBytes = true
                    state.parser.add(piece)
                }
            }
        } catch {
            var interruption = Interruption(error)
            interruption.isSwallowed = error == .timedOut && !state.withLock { $0.hasBytes }
            return .failure(interruption)
        }
    }

    private func arrivedPage() throws(BackendError) -> ChangePage<Article>? {
        try state.withLock { (state) throws(BackendError) in
            if let failure = state.failure { throw failure }
            var page = ChangePage<Article>(changes: [], next: "", more: !state.isCurrent)
            do throws(BackendError) {
                while page.changes.count < pageLimit, let event = try state.parser.next() {
                    switch event.type {
                    case "change":
                        page.changes.append(try change(event))
                        page.next = event.id
                    case "ready":
                        page.next = try token(event)
                        page.more = false
                        state.isCurrent = true
                        return page
                    // Later versions may send others.
                    default: continue
                    }
                }
            } catch {
                // Changes before it are delivered first.
                guard !page.changes.isEmpty else { throw error }
                state.failure = error
            }
            return page.changes.isEmpty ? nil : page
        }
    }

    private func change(_ event: ServerSentEvent) throws(BackendError) -> SyncChange<Article> {
        _ = try token(event)
        do throws(ResponseMapperError) {
            return try mapper.map(Array(event.data.utf8))
        } catch { throw .mapping(error) }
    }

    private func token(_ event: ServerSentEvent) throws(BackendError) -> String {
        guard !event.id.isEmpty else {
            throw .mapping(.missingAttribute(name: "id", path: "$"))
        }
        return event.id
    }
}

extension BackendService {
    /// Opens a stream of changes.
    ///
    /// - Parameters:
    ///   - request: the changes to follow, and the token to begin with.
    ///   - pageLimit: the maximum number of changes on a page.
    ///   - options: as for other streams.
    ///   - session: the session that the request belongs to.
    func liveConnection(
        _ request: StreamChangesRequest, pageLimit: Int, _ options: RequestOptions,
        in session: Session.ID
    ) async -> Result<LiveConnection, Interruption> {
        do throws(BackendError) {
            let stream = try await stream(request, options: options, in: session)
            return .success(
                LiveConnection(
                    stream, pageLimit: pageLimit, limitBytes: configuration.bodyBytes))
        } catch {
            var interruption = Interruption(error)
            interruption.isSwallowed = error == .timedOut
            return .failure(interruption)
        }
    }

    /// A page of changes that is requested instead of a stream.
    func polledPage(
        _ request: FetchChangesRequest, _ options: RequestOptions, in session: Session.ID
    ) async -> Result<ChangePage<Article>, Interruption> {
        await result(of: request, options: options, in: session).mapError(Interruption.init)
    }
}
