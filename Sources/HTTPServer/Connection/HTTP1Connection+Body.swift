import HTTP
import Sockets

extension HTTP1Connection {
    /// The request's body; `nil` if it was rejected and the connection is finished.
    func readBody(_ head: borrowing RequestHead) async throws(ChannelError)
        -> [UInt8]?
    {
        var body: [UInt8] = []
        do throws(BodyFailure) {
            try await read(&body, head)
            return body
        } catch {
            // Releases the room for other requests while this client receives the response.
            body = []
            exchange.releaseBody()
            try await end(after: error)
            return nil
        }
    }

    /// Reads a body of this length and discards it, so that it takes no room from wanted bodies;
    /// false if the connection is finished.
    func dropBody(_ length: Int) async throws(ChannelError) -> Bool {
        let start = now
        var dropped = 0
        do throws(BodyFailure) {
            // Invariant: the buffer holds what follows the first `dropped` bytes of the body.
            while true {
                if let buffer {
                    let count = min(buffer.bytes.count, length - dropped)
                    use(count)
                    dropped += count
                    exchange.sent.receivedBytes += count
                }
                if dropped == length { return true }
                let deadline = limits.bodyDeadline(since: start, received: dropped)
                guard try await more(until: deadline) else { throw .ended }
            }
        } catch {
            try await end(after: error)
            return false
        }
    }

    private func end(after failure: BodyFailure) async throws(ChannelError) {
        switch failure {
        case .ended: return
        case .channel(let error): throw error
        case .rejected(let status, let detail): try await reject(HTTPError(status, detail))
        }
    }

    private enum BodyFailure: Error {
        case rejected(HTTPStatus, String)
        /// The client disconnected before the end of the body.
        case ended
        case channel(ChannelError)
    }

    private func read(
        _ body: inout [UInt8], _ head: borrowing RequestHead
    ) async throws(BodyFailure) {
        var decoder = try makeDecoder(head.framing)
        if case .length(let length) = head.framing {
            body.reserveCapacity(min(length, Self.reservedBodyBytes))
        }
        if head.expectsContinue, buffer == nil { try await sendContinue() }
        let start = now
        // Invariant: `body` has consumed what it could of the received bytes; the buffer holds the
        // rest.
        while true {
            if let buffer {
                let count = try decode(buffer, &decoder, into: &body)
                use(count)
                exchange.sent.receivedBytes += count
            }
            guard exchange.hold(body.count) else {
                throw .rejected(
                    .serviceUnavailable, "Too many request bodies are in progress.")
            }
            if decoder.isComplete { return }
            let deadline = limits.bodyDeadline(since: start, received: body.count)
            guard try await more(until: deadline) else { throw .ended }
        }
    }

    /// Waits for bytes and reads them; false at the end of the stream.
    private func more(until deadline: Int64) async throws(BodyFailure)
        -> Bool
    {
        do throws(ChannelError) {
            while true {
                switch try fill() {
                case .bytes: return true
                case .end: return false
                case .wouldBlock: try await channel.waitReadable(until: deadline)
                }
            }
        } catch .timedOut {
            throw .rejected(.requestTimeout, "The request body arrived too slowly.")
        } catch {
            throw .channel(error)
        }
    }

    /// Reserves no memory for what a client only announces.
    private static var reservedBodyBytes: Int { 64 << 10 }

    private func makeDecoder(_ framing: BodyFraming) throws(BodyFailure) -> BodyDecoder {
        do throws(HTTPParseError) {
            return try BodyDecoder(framing, limits: limits.message)
        } catch { throw .rejected(error.status, "The request has \(error.detail).") }
    }

    private func decode(
        _ buffer: ReadBuffer, _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure) -> Int {
        do throws(HTTPParseError) {
            return try decoder.decode(Span(_unsafeElements: buffer.bytes), into: &body)
        } catch { throw .rejected(error.status, "The request has \(error.detail).") }
    }

    private func sendContinue() async throws(BodyFailure) {
        do throws(ChannelError) {
            try await channel.write(
                ResponseSerializer.continueHead, stallMilliseconds: limits.writeStallMilliseconds)
        } catch { throw .channel(error) }
    }
}
