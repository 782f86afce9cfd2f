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
