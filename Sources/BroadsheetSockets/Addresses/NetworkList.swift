import Glibc

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
