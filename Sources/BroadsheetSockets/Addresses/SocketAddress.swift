public import BroadsheetPlatform
package import Glibc

/// An address to listen on or connect to.
public enum SocketAddress: Sendable, Hashable {
    /// Four octets and a port.
    case v4([UInt8], port: UInt16)
    /// Sixteen octets and a port.
    case v6([UInt8], port: UInt16)
    /// A path of at most 107 bytes.
    case unix(String)

    /// The reason why text is not a valid address.
    public enum ParsingError: Error, Sendable, Hashable, CustomStringConvertible {
        case noPort
        case badPort
        case unknownHost(String)
        case pathTooLong

        public var description: String {
            switch self {
            case .noPort: "the port is missing (host:port, [v6]:port or unix:PATH)"
            case .badPort: "the port is not a number from 0 to 65535"
            case .unknownHost(let reason): "the host cannot be resolved (\(reason))"
            case .pathTooLong: "the path is empty or longer than 107 bytes"
            }
        }
    }

    /// The maximum length of a Unix socket's path in bytes (unix(7)).
    public static let limitUnixPathBytes = 107

    /// Resolves `127.0.0.1:8080`, `[::1]:0`, `localhost:8080`, `:8080` (all addresses of this
    /// machine) or `unix:/run/x.sock` (`getaddrinfo(3)`).
    public static func resolve(_ text: String) throws(ParsingError) -> [SocketAddress] {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard (1...limitUnixPathBytes).contains(path.utf8.count) else { throw .pathTooLong }
            return [.unix(path)]
        }
        guard let colon = text.lastIndex(of: ":") else { throw .noPort }
        let digits = text[text.index(after: colon)...]
        // Only digits: `UInt16` would also accept a sign.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { throw .badPort }
        var host = String(text[..<colon])
        if host.isEmpty {
            let everyIPv6 = SocketAddress.v6([UInt8](repeating: 0, count: 16), port: port)
            return (hasIPv6 ? [everyIPv6] : []) + [.v4([0, 0, 0, 0], port: port)]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .noPort
        }
        return try look(up: host, port: port)
    }

    /// True if this machine can bind IPv6's loopback address.
    public static var hasIPv6: Bool {
        let loopback = SocketAddress.v6([UInt8](repeating: 0, count: 15) + [1], port: 0)
        return (try? ListeningSocket(loopback)) != nil
    }

    private static func look(up host: String, port: UInt16) throws(ParsingError) -> [SocketAddress]
    {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else { throw .unknownHost(String(cString: gai_strerror(code))) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let address = info.ai_addr.flatMap({ SocketAddress($0, port: port) }),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            next = info.ai_next
        }
        guard !addresses.isEmpty else { throw .unknownHost("no addresses") }
        return addresses
    }

    /// Converts a C structure; `nil` for other families.
    init?(_ raw: UnsafePointer<sockaddr>, port: UInt16? = nil) {
        switch Int32(raw.pointee.sa_family) {
        case AF_INET:
            self = raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                let bytes = withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
                return .v4(bytes, port: port ?? UInt16(bigEndian: address.pointee.sin_port))
            }
        case AF_INET6:
            self = raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                let bytes = withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
                return .v6(bytes, port: port ?? UInt16(bigEndian: address.pointee.sin6_port))
            }
        case AF_UNIX:
            self = raw.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sun_path) { path in
                    .unix(String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
                }
            }
        default: return nil
        }
    }

    var family: Int32 {
        switch self {
        case .v4: AF_INET
        case .v6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls the body with the C structure and its length.
    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { fill($0) }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func fill(_ storage: UnsafeMutableRawBufferPointer) -> socklen_t {
        switch self {
        case .v4(let bytes, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        case .v6(let bytes, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
            return socklen_t(MemoryLayout<sockaddr_in6>.size)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
            return socklen_t(MemoryLayout<sockaddr_un>.size)
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/x.sock`.
    public var description: String {
        switch self {
        case .v4(_, let port): "\(host):\(port)"
        case .v6(_, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The host without the port; `unix` for a Unix socket.
    public var host: String {
        switch self {
        case .v4(let bytes, _): bytes.map(String.init).joined(separator: ".")
        case .v6(let bytes, _):
            String(unsafeUninitializedCapacity: 46) { buffer in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    inet_ntop(AF_INET6, bytes, text.baseAddress, 46)
                    return strnlen(text.baseAddress!, 46)
                }
            }
        case .unix: "unix"
        }
    }

    /// 0 for a Unix socket.
    public var port: UInt16 {
        switch self {
        case .v4(_, let port), .v6(_, let port): port
        case .unix: 0
        }
    }
}

extension Descriptor {
    /// A socket that starts to connect (`connect(2)`); `waitConnected` of a channel completes it.
    public static func connecting(
        to address: SocketAddress
    ) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(try retrying("socket") { socket(address.family, type, 0) })
        if case .unix = address {
        } else {
            var one: Int32 = 1
            setsockopt(
                descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
                socklen_t(MemoryLayout<Int32>.size))
        }
        let result = address.withSockaddr { connect(descriptor.raw, $0, $1) }
        // When interrupted, it continues in the background.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw .last("connect")
        }
        return descriptor
    }
}

/// A list of networks: `10.0.0.0/8`, `2001:db8::/32`, one address, or `unix` for every peer on a
/// Unix socket (RFC 4632 §3.1, RFC 4291 §2.3).
public struct NetworkList: Sendable, Hashable {
    private struct Network: Hashable {
        let octets: [UInt8]
        let bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == octets.count else { return false }
            let whole = bits / 8
            guard address[..<whole] == octets[..<whole] else { return false }
            let rest = bits % 8
            return rest == 0 || (address[whole] ^ octets[whole]) >> UInt8(8 - rest) == 0
        }
    }

    private var networks: [Network] = []
    private var hasUnix = false

    public init() {}

    public var isEmpty: Bool { networks.isEmpty && !hasUnix }

    /// Adds the network in this notation; false if it is invalid or has bits set after its prefix.
    public mutating func add(_ text: String) -> Bool {
        if text == "unix" {
            hasUnix = true
            return true
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let octets = Self.octets(String(parts[0])) else { return false }
        var bits = octets.count * 8
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count),
                parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
                let prefix = Int(parts[1]), prefix <= bits
            else { return false }
            bits = prefix
        }
        let isClean = octets.enumerated().allSatisfy { index, octet in
            let kept = min(8, max(0, bits - index * 8))
            return kept == 8 || octet << UInt8(kept) == 0
        }
        guard isClean else { return false }
        networks.append(Network(octets: octets, bits: bits))
        return true
    }

    public func contains(_ address: SocketAddress) -> Bool {
        guard let octets = address.networkOctets else { return hasUnix }
        return networks.contains { $0.contains(octets) }
    }

    private static func octets(_ text: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &octets) == 1 { return Array(octets[..<4]) }
        guard inet_pton(AF_INET6, text, &octets) == 1 else { return nil }
        return SocketAddress.v6(octets, port: 0).networkOctets
    }
}

extension SocketAddress {
    /// The IPv4 or IPv6 address in this notation (`inet_pton(3)`), without resolving names.
    public init?(ip text: String, port: UInt16) {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &octets) == 1 {
            self = .v4(Array(octets[..<4]), port: port)
        } else if inet_pton(AF_INET6, text, &octets) == 1 {
            self = .v6(octets, port: port)
        } else {
            return nil
        }
    }

    /// The octets of the address; an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) counts as IPv4.
    /// `nil` for a Unix socket.
    package var networkOctets: [UInt8]? {
        switch self {
        case .v4(let octets, _): octets
        case .v6(let octets, _) where octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]):
            Array(octets[12...])
        case .v6(let octets, _): octets
        case .unix: nil
        }
    }

    /// True if connections to it stay on this machine: 127.0.0.0/8, ::1 or a Unix socket.
    public var isLoopback: Bool {
        guard let octets = networkOctets else { return true }
        if octets.count == 4 { return octets[0] == 127 }
        return octets.last == 1 && octets.dropLast().allSatisfy { $0 == 0 }
    }
}
