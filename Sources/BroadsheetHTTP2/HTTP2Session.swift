import BroadsheetHTTP
import CBroadsheetNghttp2

/// The frames of one HTTP/2 connection (RFC 9113), of a server or of a client, by libnghttp2.
///
/// It takes the peer's bytes, reports their frames as events, and makes the bytes to send: it does
/// no I/O and has no clock. Everything that a peer can cause is bounded: its streams, their
/// windows, the size of its fields, and the number of frames that transport nothing. It is used on
/// one thread.
public final class HTTP2Session {
    public enum Role: Sendable, Hashable {
        case server, client
    }

    public let role: Role
    let settings: HTTP2Settings
    /// `nil` only while the session is created.
    private var handle: OpaquePointer?
    private var events: [HTTP2Event] = []
    private var bodies: [Int32: HTTP2Body] = [:]
    var head: ReceivedHead
    /// The field block that arrives.
    private(set) var block = Block.none
    private var budget: FrameBudget
    /// A frame that libnghttp2 ignores although it is an error of the connection.
    private var violation: HTTP2ErrorCode?
    private var streamNumbers = SkippedStreamDetector()
    /// The bytes of own bodies that were passed on to be sent.
    public private(set) var sentBodyBytes = 0
    /// All bytes that were passed on to be sent.
    public private(set) var writtenBytes = 0

    /// A field block, which no other frame may interrupt (RFC 9113 §6.10).
    enum Block {
        case none, head
        /// Fields after a body, which are checked and discarded.
        case trailers
    }

    /// The octets that every client sends first (RFC 9113 §3.4).
    public static let clientPreface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// - Parameter now: Monotonic milliseconds, as for `receive`.
    public init(_ role: Role, _ settings: HTTP2Settings = HTTP2Settings(), now: Int64 = 0) {
        self.role = role
        self.settings = settings
        head = ReceivedHead(limits: settings.message)
        budget = FrameBudget(of: role, now: now)
        handle = HTTP2Callbacks.makeSession(role, Unmanaged.passUnretained(self).toOpaque())
        submitSettings()
    }

    deinit { nghttp2_session_del(handle) }

    // MARK: Receiving

    /// Processes bytes of the peer.
    ///
    /// - Parameter now: Monotonic milliseconds.
    /// - Throws: If the connection cannot go on; the bytes to send then tell the peer the reason.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) throws(HTTP2Error) {
        budget.refill(now: now)
        let input = bytes.assumingMemoryBound(to: UInt8.self)
        let result = nghttp2_session_mem_recv(handle, input.baseAddress, input.count)
        budget.chargeReceived(bytes.count)
        if budget.isExceeded {
            nghttp2_session_terminate_session(handle, HTTP2ErrorCode.enhanceYourCalm.rawValue)
            throw .flooded
        }
        if let violation {
            nghttp2_session_terminate_session(handle, violation.rawValue)
            throw .failed(
                code: Int32(NGHTTP2_ERR_PROTO.rawValue), reason: "a frame that must not be sent")
        }
        guard result >= 0 else { throw Self.error(Int32(truncatingIfNeeded: result)) }
    }

    /// Returns the events since the last call, in order.
    public func takeEvents() -> [HTTP2Event] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    /// Handles the pending events in order, including those that handling them causes.
    public func handleEvents(_ handle: (HTTP2Event) -> Void) {
        // Invariant: all events before these are handled.
        while !events.isEmpty {
            for event in takeEvents() { handle(event) }
        }
    }

    /// The handler has consumed bytes of a body: the peer may send more of it.
    public func consumed(_ count: Int, on stream: Int32) {
        nghttp2_session_consume_stream(handle, stream, count)
    }

    /// True if the peer's bytes so far end within a field block.
    public var isAmidHead: Bool { block != .none }

    /// True if the session can use more of the peer's bytes; false after an error and after the
    /// last stream.
    public var wantsToReceive: Bool { nghttp2_session_want_read(handle) != 0 }

    // MARK: Sending

    /// True if there are bytes to send.
    public var wantsToSend: Bool { nghttp2_session_want_write(handle) != 0 }

    /// Appends bytes to send until the output has `limit` bytes; the last frame may exceed it.
    public func write(to output: inout [UInt8], upTo limit: Int) throws(HTTP2Error) {
        // Invariant: the output holds whole frames.
        while output.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(handle, &bytes)
            guard count >= 0 else { throw Self.error(Int32(truncatingIfNeeded: count)) }
            guard count > 0 else { return }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            writtenBytes += count
        }
    }

    /// The number of concurrent streams that the peer accepts: 100 until it announces another
    /// limit.
    public var peerStreams: Int {
        Int(
            nghttp2_session_get_remote_settings(
                handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    /// Sends a request; its stream, or `nil` if the peer accepts none any more.
    public func request(_ fields: [HTTP2Fields], _ body: HTTP2Body? = nil) -> Int32? {
        guard nghttp2_session_check_request_allowed(handle) != 0 else { return nil }
        let stream = HTTP2Fields.withNameValues(of: fields) { fields in
            withProvider(of: body) { provider in
                nghttp2_submit_request(
                    handle, nil, fields.baseAddress, fields.count, provider, nil)
            }
        }
        guard stream > 0 else { return nil }
        if let body { bodies[stream] = body }
        return stream
    }

    /// Sends the response; false if the stream has ended.
    @discardableResult
    public func respond(
        on stream: Int32, _ fields: [HTTP2Fields], _ body: HTTP2Body? = nil
    ) -> Bool {
        if let body { bodies[stream] = body }
        let code = HTTP2Fields.withNameValues(of: fields) { fields in
            withProvider(of: body) { provider in
                nghttp2_submit_response(
                    handle, stream, fields.baseAddress, fields.count, provider)
            }
        }
        if code != 0 { bodies[stream] = nil }
        return code == 0
    }

    /// Sends an interim response (1xx).
    public func inform(on stream: Int32, _ fields: HTTP2Fields) {
        _ = HTTP2Fields.withNameValues(of: [fields]) { fields in
            nghttp2_submit_headers(
                handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, nil, fields.baseAddress,
                fields.count, nil)
        }
    }

    /// Continues a body whose last piece was passed on.
    ///
    /// - Parameter isLast: True if nothing follows the piece.
    public func put(_ piece: [UInt8], isLast: Bool, in body: HTTP2Body, on stream: Int32) {
        body.put(piece, isLast: isLast)
        guard body.isAwaited else { return }
        body.isAwaited = false
        nghttp2_session_resume_data(handle, stream)
    }

    /// Returns true if the stream's own flow-control window lets its body go on.
    public func isWindowOpen(of stream: Int32) -> Bool {
        nghttp2_session_get_stream_remote_window_size(handle, stream) > 0
    }

    /// Ends a stream at once (RFC 9113 §6.4).
    public func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(
            handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    // MARK: Ending

    /// Announces that the connection will end, without rejecting streams yet: the peer may have
    /// sent some already (RFC 9113 §6.8). The event `pong` means that it knows.
    public func announceEnd() { nghttp2_submit_shutdown_notice(handle) }

    /// Accepts no further stream; those that were accepted go on.
    public func end(_ code: HTTP2ErrorCode = .none) {
        let last = nghttp2_session_get_last_proc_stream_id(handle)
        nghttp2_submit_goaway(
            handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, nil, 0)
    }

    /// Accepts nothing any more: streams that have not ended are lost.
    public func terminate(_ code: HTTP2ErrorCode) {
        nghttp2_session_terminate_session(handle, code.rawValue)
    }

    // MARK: Help

    private func submitSettings() {
        var entries = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue),
                value: UInt32(settings.streamWindowBytes)),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(settings.fieldListBytes)),
        ]
        if role == .server {
            entries += [
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue),
                    value: UInt32(settings.streams)),
                // Priorities are those of RFC 9218.
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue), value: 1),
            ]
        } else {
            entries.append(
                nghttp2_settings_entry(
                    settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0))
        }
        nghttp2_submit_settings(
            handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
        nghttp2_session_set_local_window_size(
            handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(settings.connectionWindowBytes))
    }

    /// Lends a data provider, which finds the body by its stream.
    private func withProvider<Result>(
        of body: HTTP2Body?, _ use: (UnsafePointer<nghttp2_data_provider>?) -> Result
    ) -> Result {
        guard body != nil else { return use(nil) }
        var provider = nghttp2_data_provider()
        provider.read_callback = HTTP2Callbacks.read
        return withUnsafePointer(to: &provider) { use($0) }
    }

    static func error(_ code: Int32) -> HTTP2Error {
        switch code {
        case Int32(NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue): .badPreface
        case Int32(NGHTTP2_ERR_FLOODED.rawValue): .flooded
        default: .failed(code: code, reason: String(cString: nghttp2_strerror(code)))
        }
    }
}

/// The callbacks of libnghttp2. They call back into libnghttp2 only to consume windows and to ping.
extension HTTP2Session {
    /// A frame begins to arrive.
    /// - Returns: False if the peer is cut off.
    func begins(_ header: nghttp2_frame_hd) -> Bool {
        budget.charge(header)
        // RFC 9113 §6.3; priorities have no other meaning here.
        if UInt32(header.type) == NGHTTP2_PRIORITY.rawValue {
            if header.stream_id == 0 { violation = .protocol }
            if header.length != 5 { violation = .frameSize }
        }
        if UInt32(header.type) == NGHTTP2_HEADERS.rawValue, role == .server,
            !streamNumbers.accepts(header.stream_id)
        {
            violation = .protocol
        }
        return !budget.isExceeded && violation == nil
    }

    func beginsBlock(_ block: Block) {
        self.block = block
        head.removeAll()
    }

    /// - Returns: False if the stream is to be reset, because its fields exceed every limit.
    func adds(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        head.add(name, value)
        return head.listBytes <= settings.fieldListBytes
    }

    func endsBlock(on stream: Int32, isLast: Bool) {
        let block = block
        self.block = .none
        switch block {
        case .none, .trailers: break
        case .head: report(stream, isLast: isLast)
        }
        let isFollowed = block == .trailers || role == .client
        if isLast, isFollowed { events.append(.received(stream: stream)) }
        head.shrink()
    }

    private func report(_ stream: Int32, isLast: Bool) {
        guard role == .server else {
            guard head.hasStatus else { return }
            if let response = head.response() {
                if response.status.code >= 200 { budget.earnMessage() }
                events.append(.response(stream: stream, response, isLast: isLast))
            } else {
                reset(stream, .protocol)
            }
            return
        }
        budget.earnMessage()
        switch head.request(isLast: isLast) {
        case .success(let request):
            events.append(
                .request(stream: stream, request, bytes: head.listBytes, isLast: isLast))
        case .failure(let error):
            events.append(
                .badRequest(stream: stream, error, bytes: head.listBytes, isLast: isLast))
        }
    }

    func arrives(_ bytes: UnsafeBufferPointer<UInt8>, on stream: Int32) {
        nghttp2_session_consume_connection(handle, bytes.count)
        events.append(.data(stream: stream, Array(bytes)))
    }

    func receives(_ frame: borrowing nghttp2_frame) {
        let isLast = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue: endsBlock(on: frame.hd.stream_id, isLast: isLast)
        case NGHTTP2_DATA.rawValue:
            if isLast { events.append(.received(stream: frame.hd.stream_id)) }
        case NGHTTP2_SETTINGS.rawValue:
            if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { events.append(.settings) }
        case NGHTTP2_PING.rawValue:
            if frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { events.append(.pong) }
        case NGHTTP2_GOAWAY.rawValue:
            let code = HTTP2ErrorCode(rawValue: frame.goaway.error_code)
            events.append(.goAway(last: frame.goaway.last_stream_id, code))
        case NGHTTP2_RST_STREAM.rawValue: budget.chargeReset()
        default: break
        }
    }

    /// A frame is passed on next.
    func willSend(_ frame: borrowing nghttp2_frame) {
        guard role == .client, UInt32(frame.hd.type) == NGHTTP2_HEADERS.rawValue else { return }
        events.append(.begun(stream: frame.hd.stream_id, offset: writtenBytes))
    }

    func sends(_ frame: borrowing nghttp2_frame) {
        let isLast = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_DATA.rawValue:
            budget.earnSentData()
            if isLast { events.append(.sent(stream: frame.hd.stream_id)) }
        case NGHTTP2_HEADERS.rawValue:
            if isLast { events.append(.sent(stream: frame.hd.stream_id)) }
        case NGHTTP2_GOAWAY.rawValue:
            // A ping would overtake the announcement if it was submitted with it.
            if frame.goaway.last_stream_id == .max {
                nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
            }
        case NGHTTP2_RST_STREAM.rawValue:
            // The peer has caused this one.
            let code = HTTP2ErrorCode(rawValue: frame.rst_stream.error_code)
            if code != .none, code != .cancel { budget.chargeReset() }
        default: break
        }
    }

    func closes(_ stream: Int32, _ code: UInt32) {
        bodies[stream] = nil
        events.append(.closed(stream: stream, HTTP2ErrorCode(rawValue: code)))
    }

    func body(of stream: Int32) -> HTTP2Body? { bodies[stream] }

    /// Records that bytes of a body are passed on.
    ///
    /// - Parameter isPiece: True if they end a piece that others follow.
    func passesOn(_ count: Int, of stream: Int32, isPiece: Bool) {
        sentBodyBytes += count
        if isPiece { events.append(.passedOn(stream: stream)) }
    }
}
