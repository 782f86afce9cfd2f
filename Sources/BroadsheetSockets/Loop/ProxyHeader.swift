/// The header that a proxy sends before a connection's first byte: PROXY protocol, version 2
/// (haproxy's `proxy-protocol.txt`, §2.2).
public struct ProxyHeader: Sendable, Hashable {
    /// The proxy's client; `nil` if the proxy connects for itself, as in health checks, or does not
    /// know its client.
    public let client: SocketAddress?
    /// True if the client connected over TLS; `nil` if the header does not report it.
    public let isSecure: Bool?

    /// The length of the fixed part: signature, version, command, family, and the length of the
    /// rest.
    static let startBytes = 16
    /// The maximum length of the rest: proxies send some hundred bytes.
    static let limitRestBytes = 4 << 10

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// `PP2_TYPE_SSL`, and its bit `PP2_CLIENT_SSL`.
    private static let tlsType: UInt8 = 0x20
    private static let tlsBit: UInt8 = 0x01

    /// Returns the length of the header after its first 16 bytes; `nil` if they are not such a
    /// header, or its version or length is not supported.
    static func restBytes(_ start: [UInt8]) -> Int? {
        guard start.count == startBytes, start.starts(with: signature), start[12] >> 4 == 2 else {
            return nil
        }
        let count = Int(start[14]) << 8 | Int(start[15])
        return count <= limitRestBytes ? count : nil
    }

    /// Parses the complete header; `nil` if it is malformed.
    public init?(_ bytes: [UInt8]) {
        guard let count = Self.restBytes(Array(bytes.prefix(Self.startBytes))),
            bytes.count == Self.startBytes + count
        else { return nil }
        let rest = bytes[Self.startBytes...]
        switch bytes[12] & 0x0F {
        case 0:  // LOCAL: the rest is to be ignored.
            client = nil
            isSecure = nil
        case 1:
            guard let (client, length) = Self.client(family: bytes[13], rest),
                let isSecure = Self.reportsTLS(rest.dropFirst(length))
            else { return nil }
            self.client = client
            self.isSecure = isSecure
        default: return nil
        }
    }

    /// The client's address, and the length of all addresses; `nil` if they are truncated or do not
    /// describe a stream.
    private static func client(
        family: UInt8, _ rest: ArraySlice<UInt8>
    ) -> (SocketAddress?, Int)? {
        func port(at offset: Int) -> UInt16 {
            UInt16(rest[rest.startIndex + offset]) << 8 | UInt16(rest[rest.startIndex + offset + 1])
        }
        switch family {
        case 0x00: return (nil, 0)
        case 0x11 where rest.count >= 12:
            return (.v4(Array(rest.prefix(4)), port: port(at: 8)), 12)
        case 0x21 where rest.count >= 36:
            return (.v6(Array(rest.prefix(16)), port: port(at: 32)), 36)
        case 0x31 where rest.count >= 216: return (.unix(""), 216)
        default: return nil
        }
    }

    /// Returns true if the client connected over TLS, according to the remaining values; `nil` if
    /// they are malformed.
    private static func reportsTLS(_ values: ArraySlice<UInt8>) -> Bool?? {
        var rest = values
        var isSecure: Bool?
        // Invariant: all values before `rest` are complete.
        while !rest.isEmpty {
            guard rest.count >= 3 else { return nil }
            let start = rest.startIndex
            let count = Int(rest[start + 1]) << 8 | Int(rest[start + 2])
            let value = rest.dropFirst(3).prefix(count)
            guard value.count == count else { return nil }
            if rest[start] == tlsType {
                guard let bits = value.first, count >= 5 else { return nil }
                isSecure = bits & tlsBit != 0
            }
            rest = rest.dropFirst(3 + count)
        }
        return .some(isSecure)
    }
}

extension ProxyHeader {
    /// The beginning of a connection without a header.
    public enum Mismatch: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// Not one byte, as in a check of whether the port is open.
        case nothing
        /// A header of version 1, which is a line of text.
        case version1
        /// Version 2, but malformed, truncated or longer than supported.
        case malformed
        case plainHTTP
        case tls
        case other

        init(_ start: [UInt8]) {
            let method = start.prefix { (0x41...0x5A).contains($0) }
            if start.isEmpty {
                self = .nothing
            } else if start.starts(with: signature.prefix(start.count)) {
                self = .malformed
            } else if start.starts(with: "PROXY ".utf8) {
                self = .version1
            } else if start.starts(with: [0x16, 0x03]) {
                // The record of a ClientHello (RFC 8446 §5.1).
                self = .tls
            } else if method.count > 2, start.dropFirst(method.count).first == 0x20 {
                self = .plainHTTP
            } else {
                self = .other
            }
        }

        public var description: String {
            switch self {
            case .nothing: "nothing"
            case .version1: "PROXY protocol version 1"
            case .malformed: "a malformed PROXY protocol header"
            case .plainHTTP: "plain HTTP without a PROXY protocol header"
            case .tls: "TLS without a PROXY protocol header"
            case .other: "data that is not a PROXY protocol header"
            }
        }
    }
}

extension SocketChannel {
    /// Reads the header that a proxy sends first, and no byte beyond it.
    ///
    /// - Returns: The header, or the mismatch, also if the peer closed the connection too early.
    /// - Throws: `cancelled`; the channel can then be handed off if nothing was received.
    public func readProxyHeader(
        until deadline: Int64
    ) async throws(ChannelError) -> Result<ProxyHeader, ProxyHeader.Mismatch> {
        let start = try await read(
            upTo: ProxyHeader.startBytes, until: deadline, mayLeave: true)
        guard let count = ProxyHeader.restBytes(start) else {
            return .failure(ProxyHeader.Mismatch(start))
        }
        let rest = try await read(upTo: count, until: deadline)
        return ProxyHeader(start + rest).map { .success($0) } ?? .failure(.malformed)
    }

    /// Reads `count` bytes; fewer if the peer closes the connection before.
    ///
    /// - Parameter mayLeave: True if another process may read them instead if none was received.
    private func read(
        upTo count: Int, until deadline: Int64, mayLeave: Bool = false
    ) async throws(ChannelError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        // Invariant: the first `received` bytes were received.
        while received < count {
            switch try read(into: &bytes, from: received) {
            case .bytes(let more): received += more
            case .end: return Array(bytes.prefix(received))
            case .wouldBlock:
                if mayLeave, received == 0, isGivenAway { throw .cancelled }
                try await waitReadable(until: deadline, isIdle: true)
            }
        }
        return bytes
    }

    private func read(
        into bytes: inout [UInt8], from start: Int
    ) throws(ChannelError) -> ReadResult {
        // The array's initialiser cannot rethrow typed errors.
        try bytes.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return Result { () throws(ChannelError) in try readRaw(into: room) }
        }.get()
    }
}
