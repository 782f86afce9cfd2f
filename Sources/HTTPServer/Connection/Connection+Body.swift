import HTTP
import Network

extension Connection {
    /// The request's body; `nil` if it was refused, and the connection is over.
    func readBody(_ head: borrowing RequestHead) async throws(ChannelError)
        -> [UInt8]?
    {
        var body: [UInt8] = []
        do throws(BodyFailure) {
            try await read(&body, head)
            return body
        } catch {
            switch error {
            case .ended: return nil
            case .channel(let error): throw error
            case .refused(let status, let detail):
                // Others need the room while this client is told.
                body = []
                releaseBody()
                try await refuse(ServerRefusal(status, detail))
                return nil
            }
        }
    }

    private enum BodyFailure: Error {
        case refused(HTTPStatus, String)
        /// The client went away in the middle.
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
        // Invariant: what came of the body is in `body`; the buffer holds what was not looked at.
        while true {
            if let buffer {
                let count = try decode(buffer, &decoder, into: &body)
                use(count)
                sent.receivedBytes += count
            }
            guard hold(body.count) else {
                throw .refused(
                    .serviceUnavailable, "Too many requests with bodies are under way.")
            }
            if decoder.isComplete { return }
            let deadline = limits.bodyDeadline(since: start, received: body.count)
            guard try await more(until: deadline) else { throw .ended }
        }
    }

    /// Waits for bytes and reads them; false at the end of all.
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
            throw .refused(.requestTimeout, "The request's body came too slowly.")
        } catch {
            throw .channel(error)
        }
    }

    /// No room is made for what a client only announces.
    private static var reservedBodyBytes: Int { 64 << 10 }

    private func makeDecoder(_ framing: BodyFraming) throws(BodyFailure) -> BodyDecoder {
        do throws(HTTPParseError) {
            return try BodyDecoder(framing, limits: limits.message)
        } catch { throw .refused(error.status, "The request has \(error.detail).") }
    }

    private func decode(
        _ buffer: ReadBuffer, _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure) -> Int {
        do throws(HTTPParseError) {
            return try decoder.decode(Span(_unsafeElements: buffer.bytes), into: &body)
        } catch { throw .refused(error.status, "The request has \(error.detail).") }
    }

    private func sendContinue() async throws(BodyFailure) {
        do throws(ChannelError) {
            try await channel.write(
                ResponseSerializer.continueHead, stallMilliseconds: limits.writeStallMilliseconds)
        } catch { throw .channel(error) }
    }
}
