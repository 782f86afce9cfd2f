import BroadsheetSockets
import Testing

@Suite struct NetworkListTests {
    private static func list(_ texts: String...) throws -> NetworkList {
        var list = NetworkList()
        for text in texts {
            let isNetwork = list.add(text)
            try #require(isNetwork, "\(text)")
        }
        return list
    }

    private static func address(_ text: String) throws -> SocketAddress {
        try #require(try SocketAddress.resolve(text).first)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2:1", true), ("10.0.0.0/8", "11.0.0.0:1", false),
        ("192.168.4.0/22", "192.168.7.255:1", true), ("192.168.4.0/22", "192.168.8.0:1", false),
        ("203.0.113.7", "203.0.113.7:9", true), ("203.0.113.7", "203.0.113.6:9", false),
        ("0.0.0.0/0", "8.8.8.8:1", true), ("0.0.0.0/0", "[::1]:1", false),
        ("2001:db8::/33", "[2001:db8:7fff::1]:1", true),
        ("2001:db8::/33", "[2001:db8:8000::1]:1", false), ("::1", "[::1]:1", true),
        ("::/0", "127.0.0.1:1", false), ("10.0.0.0/8", "[::ffff:10.1.2.3]:1", true),
        ("unix", "unix:/run/x", true), ("10.0.0.0/8", "unix:/run/x", false),
        ("unix", "127.0.0.1:1", false),
    ])
    func `a network contains the addresses of its prefix`(
        network: String, peer: String, isMember: Bool
    ) throws {
        #expect(try Self.list(network).contains(Self.address(peer)) == isMember)
    }

    @Test func `a list contains what one of its networks contains`() throws {
        let list = try Self.list("10.0.0.0/8", "::1", "unix")
        for peer in ["10.1.1.1:1", "[::1]:1", "unix:/x"] {
            #expect(list.contains(try Self.address(peer)))
        }
        #expect(!list.contains(try Self.address("127.0.0.1:1")))
        #expect(!list.isEmpty && NetworkList().isEmpty)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0.1/8", "10.0.0/8", "2001:db8::/129", "2001:db8::1/64", "localhost", "10.0.0.0/ 8",
        "10.0.0.0 /8", "[::1]",
    ])
    func `an invalid network is rejected`(text: String) {
        var list = NetworkList()
        let isNetwork = list.add(text)
        #expect(!isNetwork)
        #expect(list.isEmpty)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.8.8.8:1", true), ("[::1]:1", true), ("unix:/x", true),
        ("[::ffff:127.0.0.1]:1", true), ("128.0.0.1:1", false), ("[::2]:1", false),
        ("[::]:1", false), ("0.0.0.0:1", false),
    ])
    func `loopback addresses stay on this machine`(text: String, isLoopback: Bool) throws {
        #expect(try Self.address(text).isLoopback == isLoopback)
    }
}
