import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform

/// One client of a change stream: catches up from the store, and then follows its channel.
final class ChangeSubscriber: Sendable {
    package let principal: Principal
    private let channel: ChangeChannel
    private let streams: ChangeStreams
    private let context: RequestContext
    private let state: Lock<State>

    private struct State {
        var phase: Phase
        /// The bytes to be sent before anything else.
        var pending: [UInt8]?
        /// Resumed when there is something to do.
        var continuation: UnsafeContinuation<Void, Never>?
        /// There was something to do before the task waited for it.
        var isSignalled = false
        var ending: ChangeStreamEnding?
        var isFarewellSent = false
        /// True if anything was requested: not by a request for the head alone.
        var hasBegun = false
    }

    private enum Phase {
        /// Reads pages from the store, after this position.
        case catchingUp(ChangePosition?)
        /// Takes batches from the channel, without changes up to a number.
        case following(cursor: Int, beyond: Int64)
    }

    package var list: ChangeList { channel.list }

    init(
        principal: Principal, channel: ChangeChannel, streams: ChangeStreams,
        context: RequestContext
    ) {
        self.principal = principal
        self.channel = channel
        self.streams = streams
        self.context = context
        state = Lock(State(phase: .catchingUp(nil)))
    }

    deinit {
        let isByClient = state.withLock { $0.ending == nil && $0.hasBegun }
        streams.left(
            ObjectIdentifier(self), of: principal, channel, context, isByClient: isByClient)
    }

    /// The response whose body is the stream.
    package var response: HTTPResponse {
        HTTPResponse(
            .ok,
            fields: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                .xAccelBuffering: "no",
            ],
            body: .stream(
                HTTPBodyStream(stop: { self.end(.stopping) }, next: { try await self.next() })))
    }

    /// Reads the first page after the client's position, so that its failure becomes the response.
    func begin(after position: ChangePosition?) async throws(ServiceError) {
        state.withLock { $0.phase = .catchingUp(position) }
        let bytes = try await nextPage(chargingTokens: channel.list.cost.tokens - 1)
        state.withLock { $0.pending = bytes }
    }

    /// The next events; `nil` at the end of the stream.
    func next() async throws -> [UInt8]? {
        // Invariant: the client was sent everything up to the phase's place.
        while true {
            let (ending, pending, phase) = state.withLock { state in
                state.hasBegun = true
                return (state.ending, state.pending.take(), state.phase)
            }
            if let ending { return farewell(ending) }
            if let pending, !pending.isEmpty { return pending }
            switch phase {
            case .catchingUp:
                do throws(ServiceError) {
                    let bytes = try await nextPage(chargingTokens: channel.list.cost.tokens)
                    state.withLock { $0.pending = bytes }
                } catch {
                    try Task.checkCancellation()
                    end(ChangeStreamEnding(error))
                }
            case .following(let cursor, let sequence):
                switch channel.take(from: cursor, beyond: sequence, for: self) {
                case .bytes(let bytes, let next):
                    follow(from: next, beyond: sequence)
                    return bytes
                case .nothing(let next):
                    follow(from: next, beyond: sequence)
                    try await wait()
                case .ended(let ending): end(ending)
                }
            }
        }
    }

    private func follow(from cursor: Int, beyond sequence: Int64) {
        state.withLock { $0.phase = .following(cursor: cursor, beyond: sequence) }
    }

    // MARK: Catching up

    /// The events of the next page.
    private func nextPage(chargingTokens tokens: Int) async throws(ServiceError) -> [UInt8] {
        guard case .catchingUp(let start) = state.withLock({ $0.phase }) else { return [] }
        if let seconds = context.scope?.charge(tokens) {
            throw .overLimit(tokens: tokens, retryAfterSeconds: seconds)
        }
        let page = try await streams.page(
            of: channel, after: start, for: RequestScheduler.client(principal, context))
        state.withLock { state in
            state.phase =
                page.isLast
                ? .following(cursor: page.cursor, beyond: page.position.sequence)
                : .catchingUp(page.position)
        }
        return page.bytes
    }

    // MARK: Waiting

    private func wait() async throws {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isSignalled = state.withLock { state in
                    guard !state.isSignalled else { return true }
                    state.continuation = continuation
                    return false
                }
                if isSignalled { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        state.withLock { $0.isSignalled = false }
        if Task.isCancelled {
            channel.forget(self)
            throw CancellationError()
        }
    }

    /// Called when there is something to do.
    func wake() {
        let continuation = state.withLock { state in
            state.isSignalled = true
            return state.continuation.take()
        }
        continuation?.resume()
    }

    // MARK: Ending

    /// Ends the stream soon, even if its client does not read. The first reason counts.
    package func end(_ ending: ChangeStreamEnding) {
        let isFirst = state.withLock { state in
            defer { state.ending = state.ending ?? ending }
            return state.ending == nil
        }
        guard isFirst else { return }
        streams.count(ending)
        context.scope?.disconnect(afterMilliseconds: 500)
        wake()
    }

    private func farewell(_ ending: ChangeStreamEnding) -> [UInt8]? {
        let isSent = state.withLock { state in
            defer { state.isFarewellSent = true }
            return state.isFarewellSent
        }
        guard !isSent else { return nil }
        channel.forget(self)
        return ChangeEvents.retry(milliseconds: streams.delay(after: ending))
    }
}

/// A page for a client that catches up.
struct CatchUpPage {
    package let bytes: [UInt8]
    package let position: ChangePosition
    /// True if the client has caught up, and follows the channel.
    let isLast: Bool
    /// The position in the channel at which it continues.
    let cursor: Int
}
