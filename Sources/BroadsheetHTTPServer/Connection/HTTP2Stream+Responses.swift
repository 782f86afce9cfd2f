import BroadsheetHTTP
import BroadsheetHTTP2

/// The one response to a request. A second one has no effect: the first may have been sent because
/// the handler took too long.
extension HTTP2Stream {
    /// Bodies of this size are waited for after a rejection, as in HTTP/1: they are probably in
    /// flight.
    private func mayDiscardBody(of head: RequestHead) -> Bool {
        guard case .length(let length) = head.framing else { return false }
        return length <= BodyBudget.smallBytes && !head.expectsContinue
    }

    /// Responds to a request whose body is not wanted.
    func respond(_ response: HTTPResponse, discardingBodyOf head: RequestHead) {
        discardsBody = mayDiscardBody(of: head)
        respond(response)
    }

    func send(_ response: HTTPResponse, discardingBodyOf head: RequestHead) async {
        discardsBody = mayDiscardBody(of: head)
        await send(response)
    }

    /// Responds with bytes or without a body.
    func respond(_ response: HTTPResponse) {
        guard !hasResponded else { return }
        var response = response
        prepare(&response)
        var body: HTTP2Body?
        var length: Int?
        switch response.body {
        case .none: length = 0
        case .bytes(let bytes):
            length = bytes.count
            if !exchange.sent.isHead, !bytes.isEmpty { body = HTTP2Body(bytes, isLast: true) }
        case .stream(let stream): length = stream.length
        }
        if response.status.forbidsBody { (body, length) = (nil, nil) }
        exchange.endScope()
        submit([fields(of: response, length: length)], body)
    }

    func send(_ response: HTTPResponse) async {
        guard case .stream(let stream) = response.body, !exchange.sent.isHead,
            !response.status.forbidsBody, !hasResponded
        else { return respond(response) }
        var response = response
        prepare(&response)
        await write(response, stream)
    }

    /// Responds from the cache.
    func respond(_ ready: Exchange.CachedMatch) {
        let prepared = ready.prepared
        exchange.sent.status = prepared.response.status
        exchange.sent.template = prepared.template
        if let reader = ready.reader { exchange.sent.sender = reader.sender }
        var fields = HTTP2Fields()
        var added = HTTPFields()
        exchange.addOwnFields(to: &added)
        fields.append(contentsOf: added)
        appendLast(to: &fields)
        let body = prepared.body
        let constant = ready.reader == nil ? prepared.http2.whole : prepared.http2.forReader
        submit(
            [constant, fields],
            exchange.sent.isHead || body.isEmpty ? nil : HTTP2Body(body, isLast: true))
    }

    /// Makes the response complete, and valid.
    private func prepare(_ response: inout HTTPResponse) {
        if response.fields.hasRejectedValue { response = exchange.response(to: .unsendable) }
        if ResponseSink.asksToClose(&response.fields) { connection.announceEnd() }
        exchange.complete(&response)
        exchange.sent.status = response.status
    }

    private func fields(of response: HTTPResponse, length: Int?) -> HTTP2Fields {
        var fields = HTTP2Fields(response, length: length)
        appendLast(to: &fields)
        return fields
    }

    /// Appends the fields that differ from response to response; the request ID is different each
    /// time.
    private func appendLast(to fields: inout HTTP2Fields) {
        fields.append("date", exchange.loopContext.dateText)
        fields.append("x-request-id", exchange.requestID, isIndexed: false)
    }

    private func submit(_ fields: [HTTP2Fields], _ body: HTTP2Body?) {
        respondsWith(body)
        exchange.sent.bytes = fields.reduce(body?.unsentCount ?? 0) { $0 + $1.octetCount }
        connection.session.respond(on: id, fields, body)
        if body != nil { connection.submitted.append(self) }
        connection.scheduleFlush()
    }

    // MARK: Streams

    /// Sends a body piece by piece; the next is requested when the previous one was passed on.
    private func write(_ response: HTTPResponse, _ stream: HTTPBodyStream) async {
        let body = HTTP2Body(isLast: false)
        submit([fields(of: response, length: stream.length)], body)
        stops(by: stream.stop)
        var count = 0
        do {
            while let piece = try await stream.next(), !isClosed {
                guard !piece.isEmpty else { continue }
                guard piece.count <= (stream.length ?? .max) - count else { throw BadLength() }
                try await put(piece, in: body)
                count += piece.count
            }
            guard count == stream.length ?? count else { throw BadLength() }
        } catch {
            // The client must not mistake the truncated body for a complete one.
            return reset(.internal)
        }
        guard !isClosed else { return }
        connection.session.put([], isLast: true, in: body, on: id)
        connection.scheduleFlush()
    }

    private func put(_ piece: [UInt8], in body: HTTP2Body) async throws {
        connection.session.put(piece, isLast: false, in: body, on: id)
        exchange.sent.bytes += piece.count
        connection.submitted.append(self)
        connection.scheduleFlush()
        while body.unsentCount > 0, !isClosed { try await wait() }
        stopWaiting()
        guard !isClosed else { throw CancellationError() }
    }

    private struct BadLength: Error {}
}
