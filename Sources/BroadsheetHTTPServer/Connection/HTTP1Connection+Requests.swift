import BroadsheetHTTP
import BroadsheetSockets
import Glibc

extension HTTP1Connection {
    /// Serves the request; returns whether the connection stays open.
    func respond(to head: consuming RequestHead) async throws(ChannelError) -> Bool {
        exchange.begin(head, bytes: parser.consumed)
        defer { exchange.releaseBody() }
        let sink = ResponseSink(self, keepsAlive: head.keepsAlive)
        switch exchange.decide(by: head) {
        case .respond(let response):
            return try await sink.send(response, discardingBodyOf: head)
        case .respondPrepared(let ready):
            if !sink.send(ready), let rest = unsent.take() { try await send(rest) }
            return !channel.isEnding
        case .upgrade(let name, let handler):
            try await sink.switchProtocols(to: name)
            releaseBuffer()
            if let descriptor = channel.detach() { handler(descriptor) }
            return false
        case .route: return try await route(head, sink)
        }
    }

    // The functions below are not inlined, so that the connection's task keeps memory only for the
    // frames of those that it has called.

    /// Serves a request as its route decides.
    @inline(never)
    private func route(
        _ head: borrowing RequestHead, _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        let request = HTTPRequest(
            head.method, head.target, version: head.version, fields: head.fields)
        switch await exchange.decide(on: request, head) {
        case .respond(let response):
            return try await sink.send(response, discardingBodyOf: head)
        case .handle(let route, let context, let handler):
            guard head.framing != .none else {
                return try await handle(request, context, handler, sink)
            }
            switch route.body {
            case .streamed, .spooled:
                return try await respond(to: request, head, context, handler, route, sink)
            case .rejected, .whole:
                return try await respond(to: request, head, context, handler, route, whole: sink)
            }
        }
    }

    /// Calls the handler of a request that is complete.
    @inline(never)
    private func handle(
        _ request: HTTPRequest, _ context: RequestContext, _ handler: HTTPHandler,
        _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        exchange.beginScope(of: context)
        defer { exchange.endScope() }
        let response = await respond(to: request, context, by: handler)
        exchange.noteCharge()
        return try await sink.send(response)
    }

    /// Reads the whole body and calls the handler.
    @inline(never)
    private func respond(
        to request: consuming HTTPRequest, _ head: borrowing RequestHead,
        _ context: RequestContext, _ handler: HTTPHandler, _ route: HTTPRoute,
        whole sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        guard let body = try await readBody(head, route.body) else { return false }
        var handler = handler
        if body.isLate {
            switch await exchange.admission(to: route, request, context) {
            case .rejected(let response, sender: _):
                exchange.releaseBody()
                return try await sink.send(response)
            case .admitted(let admitted, account: _, sharesAddress: _, sender: _):
                handler = admitted
            }
        }
        request.body = body.bytes
        return try await handle(request, context, handler, sink)
    }

    /// Calls the handler, which reads the body as it arrives.
    @inline(never)
    private func respond(
        to request: HTTPRequest, _ head: borrowing RequestHead, _ context: RequestContext,
        _ handler: HTTPHandler, _ route: HTTPRoute, _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        let upload: Upload
        do throws(BodyFailure) {
            upload = try Upload(self, head, route.body) { [exchange] in
                await exchange.admission(to: route, request, context)
            }
        } catch {
            try await end(after: error)
            return false
        }
        var context = context
        context.body = upload.stream
        exchange.beginScope(of: context)
        defer { exchange.endScope() }
        let response = await respond(to: request, context, by: handler)
        exchange.noteCharge()
        switch upload.finish() {
        case .complete: return try await sink.send(response)
        case .incomplete:
            _ = try await ResponseSink(self, keepsAlive: false).send(response)
            await linger()
            return false
        case .revoked(let rejection): return try await sink.send(rejection)
        case .failed(let failure):
            try await end(after: failure)
            return false
        }
    }

    private func respond(
        to request: HTTPRequest, _ context: RequestContext, by handler: HTTPHandler
    ) async -> HTTPResponse {
        guard let begun = local.beginWork() else { return exchange.response(to: .handedOver) }
        defer { local.endWork(begun) }
        beginHandling()
        let response = await handler(request, context)
        channel.endWork()
        return response
    }

    func beginHandling() { channel.beginWork(until: now + limits.handlerMilliseconds) }

    /// The handler takes too long: its task is cancelled, and the client of a safe request receives
    /// a 503. The outcome of a write is unknown, and a 503 would make the client repeat it.
    func overrun() {
        exchange.sent.status = .serviceUnavailable
        guard exchange.isRead else { return channel.abortByReset(.timedOut) }
        var response = exchange.response(
            to: HTTPError(.serviceUnavailable, "The request took too long to process."))
        exchange.complete(&response)
        let sink = ResponseSink(self, keepsAlive: false)
        var bytes = sink.wholeHead(of: response, keepsAlive: false)
        if case .bytes(let body) = response.body, !exchange.sent.isHead { bytes += body }
        channel.abort(.timedOut, sending: bytes)
    }

    /// The client has disconnected: a safe request is aborted, so that it does not use a turn of no
    /// benefit. A write continues.
    func abandon() {
        if exchange.isRead { channel.abortByReset(.disconnected(code: ECONNRESET)) }
    }
}

extension HTTP1Connection: BodySource {
    /// The request's body; `nil` if it was rejected and the connection is finished.
    func readBody(
        _ head: borrowing RequestHead, _ route: HTTPRouteBody
    ) async throws(ChannelError) -> WholeBody? {
        do throws(BodyFailure) {
            return try await wholeBody(head, route)
        } catch {
            // Releases the room for other requests while this client receives the response.
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
            // Invariant: the buffer holds the bytes after the first `dropped` bytes of the body.
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

    func end(after failure: BodyFailure) async throws(ChannelError) {
        switch failure {
        case .ended: return
        case .channel(let error): throw error
        case .rejected(let status, let detail): try await reject(HTTPError(status, detail))
        }
    }

    var hasBodyBytes: Bool { buffer != nil }

    func abandonBody() { channel.abort() }

    func more(until deadline: @autoclosure () -> Int64) async throws(BodyFailure) -> Bool {
        do throws(ChannelError) {
            while true {
                switch try fill() {
                case .bytes: return true
                case .end: return false
                case .wouldBlock: try await channel.waitReadable(until: deadline())
                }
            }
        } catch .timedOut {
            throw .rejected(.requestTimeout, "The request body arrived too slowly.")
        } catch {
            throw .channel(error)
        }
    }

    func decode(
        _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure) {
        guard let buffer else { return }
        do throws(HTTPParseError) {
            let count = try decoder.decode(Span(_unsafeElements: buffer.bytes), into: &body)
            use(count)
            exchange.sent.receivedBytes += count
        } catch { throw BodyFailure(error) }
    }

    func sendContinue() async throws(BodyFailure) {
        do throws(ChannelError) {
            try await channel.write(
                ResponseSerializer.continueHead, stallMilliseconds: limits.writeStallMilliseconds)
        } catch { throw .channel(error) }
    }
}
