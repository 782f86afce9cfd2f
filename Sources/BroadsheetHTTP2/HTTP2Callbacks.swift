import CBroadsheetNghttp2

/// Connects libnghttp2 with the session that owns its handle.
enum HTTP2Callbacks {
    /// A handle (`nghttp2_session_server_new2(3)`), which the session deletes.
    ///
    /// - Parameter owner: The session, unretained; it lives longer than the handle.
    static func makeSession(
        _ role: HTTP2Session.Role, _ owner: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        var handle: OpaquePointer?
        let code =
            switch role {
            case .server: nghttp2_session_server_new2(&handle, callbacks, owner, options)
            case .client: nghttp2_session_client_new2(&handle, callbacks, owner, options)
            }
        // Programmer error: the arguments are valid, so it fails only when memory is exhausted.
        precondition(code == 0, "nghttp2_session_new: out of memory")
        return handle
    }

    private static func owner(_ owner: UnsafeMutableRawPointer?) -> HTTP2Session? {
        owner.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let failure = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    /// The stream is reset and the connection goes on.
    private static let streamFailure = Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

    /// Provides the next bytes of a stream's body (`nghttp2_data_source_read_callback`).
    static let read: nghttp2_data_source_read_callback = {
        _, stream, room, length, flags, _, owner in
        guard let session = HTTP2Callbacks.owner(owner), let body = session.body(of: stream),
            let room, let flags
        else { return Int(HTTP2Callbacks.streamFailure) }
        let count = body.move(to: UnsafeMutableRawBufferPointer(start: room, count: length))
        let isEmpty = body.unsentCount == 0
        if isEmpty, body.isLast {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        } else if count == 0 {
            body.isAwaited = true
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
        session.passesOn(count, of: stream, isPiece: isEmpty && !body.isLast)
        return count
    }

    // Programmer error: both are created once, and that fails only when memory is exhausted.
    // After their creation libnghttp2 only reads them.
    private nonisolated(unsafe) static let options: OpaquePointer? = {
        var options: OpaquePointer?
        precondition(nghttp2_option_new(&options) == 0, "nghttp2_option_new: out of memory")
        // Windows open as bodies are consumed.
        nghttp2_option_set_no_auto_window_update(options, 1)
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_builtin_recv_extension_type(
            options, UInt8(NGHTTP2_PRIORITY_UPDATE.rawValue))
        return options
    }()

    // After their creation libnghttp2 only reads them.
    private nonisolated(unsafe) static let callbacks: OpaquePointer? = {
        var callbacks: OpaquePointer?
        precondition(
            nghttp2_session_callbacks_new(&callbacks) == 0,
            "nghttp2_session_callbacks_new: out of memory")
        setReceiving(callbacks)
        setSending(callbacks)
        return callbacks
    }()

    private static func setReceiving(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, owner in
            guard let header, let session = HTTP2Callbacks.owner(owner) else {
                return HTTP2Callbacks.failure
            }
            return session.begins(header.pointee) ? 0 : HTTP2Callbacks.failure
        }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, owner in
            guard let frame, let session = HTTP2Callbacks.owner(owner) else {
                return HTTP2Callbacks.failure
            }
            let isTrailer =
                frame.pointee.headers.cat == NGHTTP2_HCAT_HEADERS && session.role == .server
            session.beginsBlock(isTrailer ? .trailers : .head)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameLength, value, valueLength, _, owner in
            guard let session = HTTP2Callbacks.owner(owner) else { return HTTP2Callbacks.failure }
            let isFit = session.adds(
                UnsafeBufferPointer(start: name, count: nameLength),
                UnsafeBufferPointer(start: value, count: valueLength))
            return isFit ? 0 : HTTP2Callbacks.streamFailure
        }
        // By default, invalid fields are ignored; but a message with one is malformed
        // (RFC 9113 §8.2.1).
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
            _, _, _, _, _, _, _, _ in HTTP2Callbacks.streamFailure
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, owner in
            guard let session = HTTP2Callbacks.owner(owner) else { return HTTP2Callbacks.failure }
            session.arrives(UnsafeBufferPointer(start: bytes, count: count), on: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            guard let frame, let session = HTTP2Callbacks.owner(owner) else {
                return HTTP2Callbacks.failure
            }
            session.receives(frame.pointee)
            return 0
        }
    }

    private static func setSending(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, owner in
            guard let frame, let session = HTTP2Callbacks.owner(owner) else {
                return HTTP2Callbacks.failure
            }
            session.willSend(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, owner in
            guard let frame, let session = HTTP2Callbacks.owner(owner) else {
                return HTTP2Callbacks.failure
            }
            session.sends(frame.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, stream, code, owner in
            guard let session = HTTP2Callbacks.owner(owner) else { return HTTP2Callbacks.failure }
            session.closes(stream, code)
            return 0
        }
    }
}
