import BroadsheetHTTPServer
import BroadsheetSockets
import Testing

@Suite struct ClientNetworksTests {
    private static func context(_ ip: String) throws -> RequestContext {
        RequestContext(
            requestID: "test", peer: try #require(SocketAddress(ip: ip, port: 1)), template: "/",
            parameters: PathParameters())
    }

    @Test(arguments: [
        ("2001:db8:1:203::1", "2001:db8:1:203:ffff::2", 3),
        ("2001:db8:1:203::1", "2001:db8:1:2ff::1", 2),
        ("2001:db8:1:203::1", "2001:db8:1:303::1", 1),
        ("2001:db8:1:203::1", "2001:db8:2:203::1", 0),
        ("203.0.113.7", "203.0.113.7", 3), ("203.0.113.7", "203.0.113.8", 0),
        ("::ffff:203.0.113.7", "203.0.113.7", 3),
    ])
    func `addresses share the networks that contain both`(
        one: String, other: String, count: Int
    ) throws {
        let (one, other) = (try Self.context(one), try Self.context(other))
        let shared = zip(one.clientNetworks, other.clientNetworks).map { $0 == $1 }
        #expect(shared == (0..<3).map { $0 < count })
        #expect(one.clientNetworks.last == one.clientNumber)
    }

    @Test(arguments: [
        ("2001:db8::1", 2), ("203.0.113.7", 0), ("::ffff:203.0.113.7", 0), ("127.0.0.1", 0),
        ("::1", 0),
    ])
    func `only IPv6 addresses of other machines have larger networks with limits`(
        ip: String, count: Int
    ) throws {
        let context = try Self.context(ip)
        #expect(context.limitedNetworks == Array(context.clientNetworks.prefix(count)))
        #expect(Set(context.clientNetworks).count == count + 1 || count == 0)
    }
}
