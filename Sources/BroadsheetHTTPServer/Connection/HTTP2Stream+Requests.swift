import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// From a request's head to its response.
extension HTTP2Stream {
    /// - Parameter bytes: The size of the head.
    func begin(_ head: RequestHead, bytes: Int) {
        var head = head
        exchange.adoptCookie(of: &head)
        exchange.begin(head, bytes: bytes)
        switch exchange.decide(by: head) {
        case .respond(let response): respond(response, discardingBodyOf: head)
        case .respondPrepared(let ready): respond(ready)
        case .upgrade, .route: serve { stream in await stream.route(head) }
        }
    }

    /// Rejects a request that is not valid.
    func reject(_ error: HTTPParseError, bytes: Int) {
        exchange.beginUnread(receivedBytes: bytes)
        respond(
            exchange.response(to: HTTPError(error.status, "The request has \(error.detail).")))
    }

    /// Serves a request as its route decides.
    private func route(_ head: RequestHead) async {
        let request = HTTPRequest(
            head.method, head.target, version: head.version, fields: head.fields)
        switch await exchange.decide(on: request, head) {
        case .respond(let response): await send(response, discardingBodyOf: head)
        case .handle(let route, let context, let handler):
            guard head.framing != .none else { return await handle(request, context, handler) }
            switch route.body {
            case .streamed, .spooled: await serveUpload(request, head, context, handler, route)
            case .rejected, .whole: await serveWhole(request, head, context, handler, route)
            }
        }
    }

    /// Calls the handler of a request that is complete.
    private func handle(
        _ request: HTTPRequest, _ context: RequestContext, _ handler: HTTPHandler
    ) async {
        exchange.beginScope(of: context)
        let response = await response(to: request, context, by: handler)
        exchange.noteCharge()
        await send(response)
    }

    /// Reads the whole body and calls the handler.
    private func serveWhole(
        _ request: HTTPRequest, _ head: RequestHead, _ context: RequestContext,
        _ handler: HTTPHandler, _ route: HTTPRoute
    ) async {
        let body: WholeBody
        do throws(BodyFailure) {
            body = try await wholeBody(head, route.body)
        } catch {
            exchange.releaseBody()
            return await end(after: error)
        }
        var request = request
        request.body = body.bytes
        guard body.isLate else { return await handle(request, context, handler) }
        switch await exchange.admission(to: route, request, context) {
        case .rejected(let response, sender: _): await send(response)
        case .admitted(let handler, account: _, sharesAddress: _, sender: _):
            await handle(request, context, handler)
        }
    }

    /// Calls the handler, which reads the body as it arrives.
    private func serveUpload(
        _ request: HTTPRequest, _ head: RequestHead, _ context: RequestContext,
        _ handler: HTTPHandler, _ route: HTTPRoute
    ) async {
        let upload: Upload
        do throws(BodyFailure) {
            upload = try Upload(self, head, route.body) { [exchange] in
                await exchange.admission(to: route, request, context)
            }
        } catch { return await end(after: error) }
        var context = context
        context.body = upload.stream
        exchange.beginScope(of: context)
        let response = await response(to: request, context, by: handler)
        exchange.noteCharge()
        switch upload.finish() {
        case .complete, .incomplete: await send(response)
        case .revoked(let rejection): await send(rejection)
        case .failed(let failure): await end(after: failure)
        }
    }

    private func response(
        to request: HTTPRequest, _ context: RequestContext, by handler: HTTPHandler
    ) async -> HTTPResponse {
        guard let begun = exchange.loopContext.beginWork() else {
            return exchange.response(to: .handedOver)
        }
        defer { exchange.loopContext.endWork(begun) }
        beginHandling()
        let response = await handler(request, context)
        endWork()
        return response
    }

    private func end(after failure: BodyFailure) async {
        guard case .rejected(let status, let detail) = failure else { return }
        await send(exchange.response(to: HTTPError(status, detail)))
    }
}

extension HTTP2Stream: BodySource {
    var hasBodyBytes: Bool { hasArrived }

    func sendContinue() async throws(BodyFailure) {
        guard !isClosed else { throw .ended }
        var fields = HTTP2Fields()
        fields.append(":status", "100")
        connection.session.inform(on: id, fields)
        connection.scheduleFlush()
    }

    func decode(_ decoder: inout BodyDecoder, into body: inout [UInt8]) throws(BodyFailure) {
        let bytes = try takeArrived()[...]
        if !bytes.isEmpty {
            do throws(HTTPParseError) {
                _ = try decoder.decode(bytes.span, into: &body)
            } catch { throw BodyFailure(error) }
            exchange.sent.receivedBytes += bytes.count
            connection.session.consumed(bytes.count, on: id)
            connection.scheduleFlush()
        }
        // libnghttp2 has compared the length with the one that was declared (RFC 9113 §8.1.1).
        if isReceived { decoder = try exchange.listener.limits.bodyDecoder(.none) }
    }

    func more(until deadline: @autoclosure () -> Int64) async throws(BodyFailure) -> Bool {
        do throws(ChannelError) {
            while !hasArrived, !isReceived, !isClosed { try await wait(until: deadline()) }
        } catch .timedOut {
            throw .rejected(.requestTimeout, "The request body arrived too slowly.")
        } catch { throw .channel(error) }
        return !isClosed
    }

    func beginHandling() {
        beginWork(until: connection.now + exchange.listener.limits.handlerMilliseconds)
    }

    func abandonBody() { reset(.internal) }
}

extension HTTP2Stream: ExchangeTransport {
    var place: any ExchangeReference { StreamReference(self) }
}

/// Names a stream for code that does not run on its loop.
///
/// `@unchecked`: the stream is only used on the loop.
final class StreamReference: ExchangeReference, @unchecked Sendable {
    private weak var stream: HTTP2Stream?
    private let loop: EventLoop

    init(_ stream: HTTP2Stream) {
        self.stream = stream
        loop = stream.exchange.channel.loop
    }

    /// Resets the stream after a delay, if that is still wanted by then.
    func abort(
        afterMilliseconds delay: Int64, ifWanted isWanted: @escaping @Sendable () -> Bool
    ) {
        loop.submit { [self] in
            loop.schedule(afterMilliseconds: delay) { [self] in
                if isWanted() { stream?.reset(.cancel) }
            }
        }
    }
}
