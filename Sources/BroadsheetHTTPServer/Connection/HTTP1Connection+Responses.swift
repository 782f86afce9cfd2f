import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets
import Synchronization

extension HTTP1Connection {
    /// Rejects a request and closes the connection in a way that lets the client read the response.
    func reject(_ rejection: HTTPError) async throws(ChannelError) {
        let sink = ResponseSink(self, keepsAlive: false)
        _ = try await sink.send(exchange.response(to: rejection))
        await linger()
    }

    /// Rejects bytes that are not a valid request.
    func rejectUnread(_ rejection: HTTPError) async throws(ChannelError) {
        exchange.beginUnread(receivedBytes: buffer?.bytes.count ?? 0)
        guard !speaksHTTP2 else { return try await rejectConnection(rejection) }
        try await reject(rejection)
    }

    /// Rejects a connection of HTTP/2, which has no stream yet for a response.
    private func rejectConnection(_ rejection: HTTPError) async throws(ChannelError) {
        exchange.sent.status = rejection.status
        defer { exchange.notifyObservers() }
        let session = HTTP2Session(.server, rules.http2, now: now)
        session.terminate(.enhanceYourCalm)
        var frames: [UInt8] = []
        do throws(HTTP2Error) {
            try session.write(to: &frames, upTo: 1_024)
        } catch { return }
        try await channel.write(frames, stallMilliseconds: limits.writeStallMilliseconds)
        await linger()
    }

    // MARK: Slow readers

    /// Sends the part of a response that could not be written at once.
    func send(_ rest: Unsent) async throws(ChannelError) {
        defer { exchange.notifyObservers() }
        try await writeRest(rest)
    }

    /// Sends the rest of a whole response, which counts towards waiting responses from here on, so
    /// that handlers may generate others.
    func writeRest(_ rest: Unsent) async throws(ChannelError) {
        exchange.endScope()
        try await writeWaiting(rest)
    }

    /// Responses waiting for slow readers are bounded: above the limit, the latest one is dropped.
    func writeWaiting(_ rest: Unsent) async throws(ChannelError) {
        let waitingBytes = rules.waiting.add(rest.count)
        defer { rules.waiting.remove(rest.count) }
        guard waitingBytes <= limits.waitingBytes else {
            channel.reset()
            throw .timedOut
        }
        try await channel.write(
            rest.head, rest.body, from: rest.start,
            stallMilliseconds: limits.writeStallMilliseconds)
    }

    // MARK: Ending

    /// Lets the client read the response before the connection is closed.
    func linger() async {
        releaseBuffer()
        await channel.linger(limits, local)
    }
}

extension SocketChannel {
    /// Shuts the connection down for writing, then reads and discards further bytes of the client,
    /// within limits: closing at once would reset the connection and could discard the response.
    func linger(_ limits: ServerLimits, _ local: LoopContext) async {
        shutdownWrite()
        let deadline = loop.now + limits.lingerMilliseconds
        var dropped = 0
        do throws(ChannelError) {
            while dropped < limits.lingerBytes, loop.now < deadline {
                switch try discard(by: local) {
                case .bytes(let count): dropped += count
                case .end: return
                case .wouldBlock: try await waitReadable(until: deadline)
                }
            }
        } catch {
            // The client has disconnected, or the time is up.
        }
    }

    private func discard(by local: LoopContext) throws(ChannelError) -> ReadResult {
        let buffer = local.takeBuffer()
        defer { local.giveBack(buffer) }
        return try read(into: buffer.room())
    }
}

/// The part of a response that was not written at once. The body is not copied, as many connections
/// may send the same one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// The number of bytes of both that were written.
    let start: Int

    var count: Int { head.count + body.count - start }
}

/// The bytes of responses that wait for slow readers, over all loops.
final class WaitingResponses: Sendable {
    private let bytes = Atomic<Int>(0)

    /// - Returns: The new total.
    func add(_ count: Int) -> Int { bytes.add(count, ordering: .relaxed).newValue }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
