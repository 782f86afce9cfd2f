import BroadsheetHTTP
import BroadsheetSockets

/// A request's body that a handler reads as it arrives. It is used on the connection's loop.
final class Upload {
    /// The state of the body when the handler has returned.
    enum Outcome {
        case complete
        /// The handler left a part of it unread.
        case incomplete
        /// The body was read, and by then the client was no longer admitted.
        case revoked(HTTPResponse)
        case failed(BodyFailure)
    }

    /// The connection or stream of the body, and the check that follows it.
    private struct Source {
        let transport: any BodySource
        /// The route's decision once the body is complete: access may have been revoked since the
        /// head arrived.
        let readmit: () async -> Admission
    }

    /// `nil` when the handler has returned, so that a stream that it has kept keeps nothing.
    private var source: Source?
    private let loop: EventLoop
    private var decoder: BodyDecoder
    private let length: Int?
    /// The time at which the body began to arrive, moved by the time that the handler takes, which
    /// does not count.
    private var start: Int64
    private var handledSince: Int64
    /// True if the client waits to be told that the body is wanted.
    private var isAwaited: Bool
    /// The time left for it once the connections are handed off.
    private var lastDeadline = Int64.max
    private var outcome = Outcome.incomplete
    private var isReading = false

    /// - Parameters:
    ///   - route: The route's treatment of bodies.
    ///   - readmit: The route's decision, asked for again once the body is complete.
    /// - Throws: `rejected` if the body is announced to be too large.
    init(
        _ transport: any BodySource, _ head: borrowing RequestHead, _ route: HTTPRouteBody,
        readmit: @escaping () async -> Admission
    ) throws(BodyFailure) {
        source = Source(transport: transport, readmit: readmit)
        loop = transport.exchange.channel.loop
        decoder = try transport.exchange.listener.limits.bodyDecoder(head.framing, of: route)
        if case .length(let length) = head.framing { self.length = length } else { length = nil }
        isAwaited = head.expectsContinue
        start = loop.now
        handledSince = start
    }

    /// The pieces for the handler. They may be read by one task at a time, while the handler runs.
    var stream: HTTPBodyStream {
        // The closure hops to the loop before it uses the object.
        nonisolated(unsafe) let upload = self
        return HTTPBodyStream(length: length) { [loop] in
            try await withTaskExecutorPreference(loop) { try await upload.next() }
        }
    }

    /// The handler has returned. If another task still reads, the connection is closed: it cannot
    /// go on to the next request.
    func finish() -> Outcome {
        if isReading { source?.transport.abandonBody() }
        source = nil
        return outcome
    }

    /// The next bytes; `nil` at the end.
    private func next() async throws -> [UInt8]? {
        guard let source, !isReading else { throw CancellationError() }
        switch outcome {
        case .incomplete: break
        case .complete: return nil
        case .revoked, .failed: throw CancellationError()
        }
        let transport = source.transport
        // The handler's time does not pass while it waits for the client.
        transport.exchange.transport.endWork()
        start += loop.now - handledSince
        isReading = true
        defer {
            isReading = false
            handledSince = loop.now
            if self.source != nil { transport.beginHandling() }
        }
        do throws(BodyFailure) {
            if let piece = try await piece(from: transport) { return piece }
        } catch {
            outcome = .failed(error)
            throw CancellationError()
        }
        if case .rejected(let response, _) = await source.readmit() {
            outcome = .revoked(response)
            throw CancellationError()
        }
        outcome = .complete
        return nil
    }

    private func piece(from transport: any BodySource) async throws(BodyFailure) -> [UInt8]? {
        if isAwaited, !transport.hasBodyBytes { try await transport.sendContinue() }
        isAwaited = false
        let exchange = transport.exchange
        var piece: [UInt8] = []
        // Invariant: bytes that have arrived after the decoded ones are left to the carrier.
        while true {
            guard !exchange.loopContext.isClosed else { throw .handedOver }
            try transport.decode(&decoder, into: &piece)
            if !piece.isEmpty { return piece }
            if decoder.isComplete { return nil }
            do throws(BodyFailure) {
                guard try await transport.more(until: deadline(of: exchange)) else { throw .ended }
            } catch .rejected where exchange.channel.isGivenAway {
                throw .handedOver
            }
        }
    }

    private func deadline(of exchange: Exchange) -> Int64 {
        let usual = exchange.listener.limits.bodyDeadline(since: start, received: decoder.length)
        // The hand-off does not wait for slow clients.
        if exchange.channel.isGivenAway, lastDeadline == .max {
            lastDeadline = loop.now + exchange.listener.departure.quietMilliseconds
        }
        return min(usual, lastDeadline)
    }
}
