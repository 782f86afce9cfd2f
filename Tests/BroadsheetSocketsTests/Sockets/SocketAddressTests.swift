import BroadsheetSockets
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: ["127.0.0.1:8080", "[::1]:8080", "unix:/run/x.sock", "[2001:db8::7]:1"])
    func `an address round-trips`(text: String) throws {
        #expect(try SocketAddress.resolve(text).map(\.description) == [text])
    }

    @Test func `a name resolves to its addresses, a bare port to all addresses`() throws {
        let local = try SocketAddress.resolve("localhost:0")
        #expect(!local.isEmpty && local.allSatisfy { $0.port == 0 })
        let every = try SocketAddress.resolve(":8080")
        #expect(every.last == .v4([0, 0, 0, 0], port: 8080))
        #expect(every.count == (SocketAddress.hasIPv6 ? 2 : 1))
    }

    @Test(arguments: [
        ("127.0.0.1", SocketAddress.ParsingError.noPort),
        ("::1:80", .noPort),
        ("127.0.0.1:", .badPort),
        ("127.0.0.1:+80", .badPort),
        ("127.0.0.1:65536", .badPort),
        ("127.0.0.1:http", .badPort),
        ("unix:", .pathTooLong),
        ("unix:/" + String(repeating: "x", count: 107), .pathTooLong),
    ])
    func `an invalid address is rejected`(text: String, reason: SocketAddress.ParsingError) {
        #expect(throws: reason) { try SocketAddress.resolve(text) }
    }
}
