import HTTP
import Sockets
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
        try await reject(rejection)
    }

    // MARK: Slow readers

    /// Sends what could not be written at once.
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

    /// Shuts the connection down for writing, then reads and discards what the client still sends,
    /// within limits: closing at once would reset the connection and could discard the response.
    func linger() async {
        channel.shutdownWrite()
        let deadline = now + limits.lingerMilliseconds
        var dropped = 0
        if let buffer { use(buffer.bytes.count) }
        do throws(ChannelError) {
            while dropped < limits.lingerBytes, now < deadline {
                switch try fill() {
                case .bytes(let count):
                    dropped += count
                    use(count)
                case .end: return
                case .wouldBlock: try await channel.waitReadable(until: deadline)
                }
            }
        } catch {
            // The client has disconnected, or the time is up.
        }
    }
}

/// The part of a response that was not written at once. The body is not copied, as many connections
/// may send the same one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// How many bytes of both were written.
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
