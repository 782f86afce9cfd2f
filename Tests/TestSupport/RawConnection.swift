public import BroadsheetHTTP
public import BroadsheetSockets
import Glibc

/// A client's socket that can send bytes that no valid client would. Calls block, with a timeout.
public final class RawConnection {
    let socket: ClientSocket
    /// The TLS session, or another layer that changes bytes.
    var layer: (any ConnectionLayer)?
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - receiveBuffer: The size of the kernel's buffer in bytes; a small one makes a slow
    ///     reader.
    ///   - source: The local address; `nil`: chosen by the kernel.
    public init(
        _ address: SocketAddress, timeoutSeconds: Int = Patience.seconds,
        receiveBuffer: Int32? = nil,
        from source: SocketAddress? = nil
    ) throws {
        let descriptor = try Self.socket(address)
        socket = ClientSocket(descriptor)
        var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, size)
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer,
                socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, source.withSockaddr({ bind(descriptor, $0, $1) }) != 0 {
            throw TestFailure.system("bind")
        }
        let result = address.withSockaddr { connect(descriptor, $0, $1) }
        guard result == 0 else { throw TestFailure.system("connect") }
    }

    var descriptor: Int32 { socket.descriptor }

    static func socket(_ address: SocketAddress) throws -> Int32 {
        let family =
            switch address {
            case .v4: AF_INET
            case .v6: AF_INET6
            case .unix: AF_UNIX
            }
        let descriptor = Glibc.socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestFailure.system("socket") }
        return descriptor
    }

    // MARK: Sending

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) throws {
        guard sendSome(bytes) == bytes.count else { throw TestFailure.system("send") }
    }

    /// Sends until the peer closes the connection; returns the number of bytes sent.
    public func sendSome(_ bytes: [UInt8]) -> Int {
        if let layer { return layer.write(bytes) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    // MARK: Receiving

    /// The next complete response.
    public func response(to method: HTTPMethod = .get) throws -> ReceivedResponse {
        let head = try responseHead(to: method)
        var decoder = try Self.decoder(of: head)
        var body: [UInt8] = []
        while try receiveBody(&decoder, into: &body) {}
        guard decoder.isComplete || head.framing == .untilClose else {
            throw TestFailure("the connection ended in a body")
        }
        return ReceivedResponse(head: head, body: body)
    }

    /// The head of the next response, whose body is received piece by piece.
    public func responseHead(to method: HTTPMethod = .get) throws -> ResponseHead {
        var parser = ResponseParser()
        while true {
            let head = try received.withUnsafeBufferPointer {
                try parser.parse(Span(_unsafeElements: $0), to: method)
            }
            if let head {
                received.removeFirst(parser.consumed)
                return head
            }
            guard try receive() else { throw TestFailure("the connection ended in a head") }
        }
    }

    /// Decodes the body of a response of almost any size.
    public static func decoder(of head: ResponseHead) throws -> BodyDecoder {
        var limits = HTTPLimits()
        limits.bodyBytes = 1 << 30
        return try BodyDecoder(head.framing, limits: limits)
    }

    /// Appends bytes of a body that have arrived, or waits for some.
    ///
    /// - Returns: False at the end of the body or of the connection.
    public func receiveBody(
        _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws -> Bool {
        if received.isEmpty, !decoder.isComplete, try !receive() { return false }
        let used = try received.withUnsafeBufferPointer {
            try decoder.decode(Span(_unsafeElements: $0), into: &body)
        }
        received.removeFirst(used)
        return !decoder.isComplete
    }

    /// Everything until the peer closes the connection.
    public func rest() throws -> [UInt8] {
        while try receive() {}
        defer { received = [] }
        return received
    }

    /// Waits for the end of the stream; false if the peer sends something first.
    public func isEnded() -> Bool {
        guard received.isEmpty else { return false }
        do { return try !receive() } catch { return errno == ECONNRESET }
    }

    /// Waits for bytes and returns at most `limit` of them; none at the end of the stream.
    public func receive(limit: Int) throws -> [UInt8] {
        if received.isEmpty { _ = try receive() }
        let taken = Array(received.prefix(limit))
        received.removeFirst(taken.count)
        return taken
    }

    /// True if there are unread bytes or the end of the stream (`poll(2)`).
    public var hasInput: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// True if the peer has reset the connection (`POLLERR`), seen without reading.
    public var isReset: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0
    }

    private func receive() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = layer?.read(into: &bytes) ?? recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw layer?.failure ?? TestFailure.system("recv") }
        received += bytes.prefix(count)
        return count > 0
    }

    // MARK: Ending

    /// Shuts the socket down for writing; it can still receive.
    public func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Resets the connection (`RST`).
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    public func close() {
        layer = nil
        socket.close()
    }
}

/// The socket of a connection and of its TLS session, open while one of them exists: bytes written
/// to a closed one would reach whatever has its number then.
final class ClientSocket {
    /// -1 when it is closed.
    private(set) var descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}

/// A response received over a socket.
public struct ReceivedResponse: Sendable {
    public let head: ResponseHead
    public let body: [UInt8]

    public var status: Int { head.status.code }
    public var fields: HTTPFields { head.fields }
    public var text: String { String(decoding: body, as: UTF8.self) }
}

/// Headers of PROXY protocol v2, valid and invalid.
public enum TestProxyHeader {
    public static let signature: [UInt8] = Array("\r\n\r\n\0\r\nQUIT\n".utf8)
    public static let ssl: [UInt8] = [0x20, 0, 5, 0x01, 0, 0, 0, 0]
    public static let notSSL: [UInt8] = [0x20, 0, 5, 0x00, 0, 0, 0, 0]

    /// - Parameters:
    ///   - command: Version and command: 0x21 for `PROXY`, 0x20 for `LOCAL`.
    ///   - length: The declared length of the rest; `nil`: the actual one.
    public static func bytes(
        command: UInt8 = 0x21, family: UInt8, _ rest: [UInt8], length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? rest.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
    }

    /// For a client on IPv4 that connected to 10.0.0.1:443.
    public static func v4(
        _ client: [UInt8], port: UInt16 = 4_711, values: [UInt8] = []
    ) -> [UInt8] {
        let ports = [UInt8(port >> 8), UInt8(port & 0xFF), 0x01, 0xBB]
        return bytes(family: 0x11, client + [10, 0, 0, 1] + ports + values)
    }

    /// For a client on IPv6, port 4711.
    public static func v6(_ client: [UInt8], values: [UInt8] = []) -> [UInt8] {
        let server = [UInt8](repeating: 0, count: 15) + [1]
        return bytes(family: 0x21, client + server + [0x12, 0x67, 0x01, 0xBB] + values)
    }
}
