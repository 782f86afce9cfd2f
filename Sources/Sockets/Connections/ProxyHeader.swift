/// What a proxy says of a connection before its first byte: PROXY protocol, version 2
/// (haproxy's `proxy-protocol.txt`, §2.2).
public struct ProxyHeader: Sendable, Hashable {
    /// Who connected to the proxy; `nil` where the proxy speaks for itself, as to see whether the
    /// server lives, or does not know.
    public let client: SocketAddress?
    /// Whether the client came by TLS; `nil` where that is not told.
    public let isSecure: Bool?

    /// What is read first: signature, version, command, family, and the length of the rest.
    static let startBytes = 16
    /// Longer rests are taken for an attack: what proxies tell takes some hundred bytes.
    static let restLimit = 4 << 10

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// `PP2_TYPE_SSL`, and its bit `PP2_CLIENT_SSL`.
    private static let tlsType: UInt8 = 0x20
    private static let tlsBit: UInt8 = 0x01

    /// How many bytes follow the first 16; `nil` if these are no such header, or of a version or a
    /// length that is not taken.
    static func restBytes(_ start: [UInt8]) -> Int? {
        guard start.count == startBytes, start.starts(with: signature), start[12] >> 4 == 2 else {
            return nil
        }
        let count = Int(start[14]) << 8 | Int(start[15])
        return count <= restLimit ? count : nil
    }

    /// The header in these bytes, all of it; `nil` if it is malformed.
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
                let isSecure = Self.tellsTLS(rest.dropFirst(length))
            else { return nil }
            self.client = client
            self.isSecure = isSecure
        default: return nil
        }
    }

    /// The client's address, and how many bytes all addresses take; `nil` if they are cut off, or
    /// of no stream.
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

    /// Whether the client came by TLS, as far as the further values tell; `nil` if they are
    /// malformed.
    private static func tellsTLS(_ values: ArraySlice<UInt8>) -> Bool?? {
        var rest = values
        var isSecure: Bool?
        // Invariant: all values before `rest` are whole.
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
    /// Reads the header that a proxy sends first, and not a byte of what follows it.
    ///
    /// - Returns: `nil` if what came is no such header, or the peer ended it.
    /// - Throws: `cancelled`, after which the channel can be given away if nothing came.
    public func readProxyHeader(until deadline: Int64) async throws(ChannelError) -> ProxyHeader? {
        guard
            let start = try await readExactly(
                ProxyHeader.startBytes, until: deadline, mayLeave: true),
            let count = ProxyHeader.restBytes(start),
            let rest = try await readExactly(count, until: deadline)
        else { return nil }
        return ProxyHeader(start + rest)
    }

    /// So many bytes; `nil` if the peer sends fewer.
    ///
    /// - Parameter mayLeave: whether another process may read them instead, if none has come.
    private func readExactly(
        _ count: Int, until deadline: Int64, mayLeave: Bool = false
    ) async throws(ChannelError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        // Invariant: the first `received` bytes are the peer's.
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
        // Arrays rethrow no typed errors.
        try bytes.withUnsafeMutableBytes { bytes in
            let room = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            return Result { () throws(ChannelError) in try readRaw(into: room) }
        }.get()
    }
}
