/// A host with an optional port, as `Host` carries it (RFC 9110 §7.2, RFC 3986 §3.2).
public struct Authority: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    public let port: UInt16?

    /// The authority in these octets; `nil` for user information, an empty host, a bad port or
    /// octets that no host has.
    public init?(_ bytes: [UInt8]) {
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), close > 1,
                bytes[1..<close].allSatisfy({
                    PercentEncoding.hexValue(of: $0) != nil || $0 == UInt8(ascii: ":")
                        || $0 == UInt8(ascii: ".")
                })
            else { return nil }
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            guard hostEnd > 0, bytes[..<hostEnd].allSatisfy(Self.isHostOctet) else { return nil }
        }
        host = String(decoding: bytes[..<hostEnd], as: UTF8.self)
        if hostEnd == bytes.count {
            port = nil
            return
        }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return nil }
        let digits = bytes[(hostEnd + 1)...]
        if digits.isEmpty {
            port = nil
            return
        }
        guard digits.allSatisfy({ (48...57).contains($0) }),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.port = port
    }

    /// RFC 3986 §3.2.2: unreserved, sub-delims and escapes.
    private static func isHostOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "-._~!$&'()*+,;=%".utf8.contains(byte)
        }
    }
}
