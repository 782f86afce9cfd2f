/// The header that a proxy sends before a connection's first byte: PROXY protocol, version 2
/// (haproxy's `proxy-protocol.txt`, §2.2).
public struct ProxyHeader: Sendable, Hashable {
    /// The proxy's client; `nil` if the proxy connects for itself, as in health checks, or does not
    /// know its client.
    public let client: SocketAddress?
    /// Whether the client connected over TLS; `nil` if the header does not report it.
    public let isSecure: Bool?

    /// The length of the fixed part: signature, version, command, family, and the length of the
    /// rest.
    static let startBytes = 16
    /// The maximum length of the rest: proxies send some hundred bytes.
    static let restLimit = 4 << 10

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// `PP2_TYPE_SSL`, and its bit `PP2_CLIENT_SSL`.
    private static let tlsType: UInt8 = 0x20
    private static let tlsBit: UInt8 = 0x01

    /// The length of what follows the first 16 bytes; `nil` if they are not such a header, or its
    /// version or length is not supported.
    static func restBytes(_ start: [UInt8]) -> Int? {
        guard start.count == startBytes, start.starts(with: signature), start[12] >> 4 == 2 else {
            return nil
        }
        let count = Int(start[14]) << 8 | Int(start[15])
        return count <= restLimit ? count : nil
    }

    /// Parses the complete header; `nil` if it is malformed.
    public init?(_ bytes: [UInt8]) {
        guard let count = Self.restBytes(Array(bytes.prefix(Self.startBytes))),
            bytes.count == Self.startBytes + count
        else { return nil }
        let rest = bytes[Self.startBytes...]
        switch bytes[12] & 0x0F {
        case 0:  // LOCAL: what stands behind it is nothing to anybody.
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

    /// Whether the client connected over TLS, according to the remaining values; `nil` if they are
    /// malformed.
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

extension SocketChannel {
    /// Reads the header that a proxy sends first, and no byte beyond it.
    ///
    /// - Returns: `nil` if the bytes are not such a header, or the peer closed the connection.
    /// - Throws: `cancelled`; the channel can then be handed off if nothing was received.
    public func readProxyHeader(until deadline: Int64) async throws(ChannelError) -> ProxyHeader? {
        guard
            let start = try await readExactly(
                ProxyHeader.startBytes, until: deadline, mayLeave: true),
            let count = ProxyHeader.restBytes(start),
            let rest = try await readExactly(count, until: deadline)
        else { return nil }
        return ProxyHeader(start + rest)
    }

    /// Reads exactly `count` bytes; `nil` if the peer sends fewer.
    ///
    /// - Parameter mayLeave: Whether another process may read them instead if none was received.
    private func readExactly(
        _ count: Int, until deadline: Int64, mayLeave: Bool = false
    ) async throws(ChannelError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        // Invariant: the first `received` bytes were received.
        while received < count {
            switch try read(into: &bytes, from: received) {
            case .bytes(let more): received += more
            case .end: return nil
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
