import ArticleAPI
import ArticleStore
import BroadsheetPlatform

/// Reads the articles that are requested at the same time with one statement.
///
/// Most of the cost of a small read from PostgreSQL is the round trip. Reads that arrive while
/// another one is under way wait for it, and are then performed together: under load there are
/// many, and otherwise no read waits. Safe to use from any thread.
final class BatchedReads: BatchedArticleReads {
    private typealias Response = Result<ArticleVersion, StoreError>

    /// A read that waits.
    private struct PendingRead: Sendable {
        let id: Article.ID
        let audience: Audience
        let respond: @Sendable (Response) -> Void
    }

    private struct State {
        var waiting = FIFO<PendingRead>()
        /// The reads that are under way.
        var running = 0
    }

    private let readers: ReaderPool
    private let state = Lock(State())

    /// The maximum number of articles in a statement, whose bodies are in memory together.
    private static let limitArticles = 32
    /// Another statement starts when this many reads wait for each one that is under way, so that
    /// one that reads from the disk delays only a few.
    private static let fewArticles = 8

    init(_ readers: ReaderPool) { self.readers = readers }

    func edition(
        of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> ArticleVersion {
        let isAlone = state.withLock { state in
            guard state.running == 0 else { return false }
            state.running = 1
            return true
        }
        guard isAlone else { return try await joined(id, audience).get() }
        defer { goOn() }
        return try await readers.read { (state) throws(StoreError) in
            try state.edition(of: .id(id), visibleTo: audience)
        }
    }

    /// Waits to be read with others.
    private func joined(_ id: Article.ID, _ audience: Audience) async -> Response {
        await withUnsafeContinuation { continuation in
            let wanted = PendingRead(id: id, audience: audience) {
                continuation.resume(returning: $0)
            }
            let mustRead = state.withLock { state in
                state.waiting.append(wanted)
                // Nothing is under way any more, or enough reads wait for one more statement.
                let isEnough = state.waiting.count >= Self.fewArticles * state.running
                if isEnough { state.running += 1 }
                return isEnough
            }
            if mustRead { readNext() }
        }
    }

    /// A read has ended: reads those that arrived meanwhile.
    private func goOn() {
        let hasMore = state.withLock { state in
            if state.waiting.isEmpty { state.running -= 1 }
            return !state.waiting.isEmpty
        }
        if hasMore { readNext() }
    }

    /// Reads as many of the waiting articles as a statement may, when a connection is free.
    private func readNext() {
        let batch = Lock<[PendingRead]?>(nil)
        // A connection that was lost is replaced, and the same articles are read again.
        let take = { @Sendable [self] in
            batch.withLock { batch in
                let taken = batch ?? takeWaiting()
                batch = taken
                return taken
            }
        }
        readers.submit { (snapshot) throws(StoreError) in
            let wanted = take()
            try snapshot.articlesAhead?.read(wanted.map(\.id), of: snapshot)
            var responses: [Response] = []
            for one in wanted { responses.append(try Self.response(to: one, in: snapshot)) }
            return responses
        } then: { [self] (result: Result<[Response], StoreError>) in
            for (index, one) in take().enumerated() { one.respond(result.flatMap { $0[index] }) }
            goOn()
        }
    }

    private func takeWaiting() -> [PendingRead] {
        state.withLock { state in
            var batch: [PendingRead] = []
            while batch.count < Self.limitArticles, let next = state.waiting.popFirst() {
                batch.append(next)
            }
            return batch
        }
    }

    /// A missing article fails its own read only.
    private static func response(
        to wanted: PendingRead, in snapshot: Snapshot
    ) throws(StoreError) -> Response {
        do throws(StoreError) {
            return .success(
                try snapshot.edition(of: .id(wanted.id), visibleTo: wanted.audience))
        } catch .notFound {
            return .failure(.notFound)
        }
    }
}
