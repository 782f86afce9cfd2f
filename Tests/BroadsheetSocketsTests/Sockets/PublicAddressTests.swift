import BroadsheetSockets
import Testing

/// The public addresses, by the ranges of IANA's registries: the first and the last address of
/// each, and their neighbours.
@Suite struct PublicAddressTests {
    private func isPublic(_ text: String) throws -> Bool {
        try #require(SocketAddress(ip: text, port: 443), "\(text)").isPublic
    }

    @Test(arguments: [
        // IANA IPv4 Special-Purpose Address Registry.
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"),
        ("100.64.0.0", "100.127.255.255"), ("127.0.0.0", "127.255.255.255"),
        ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"),
        ("192.31.196.0", "192.31.196.255"), ("192.52.193.0", "192.52.193.255"),
        ("192.88.99.0", "192.88.99.255"), ("192.168.0.0", "192.168.255.255"),
        ("192.175.48.0", "192.175.48.255"), ("198.18.0.0", "198.19.255.255"),
        ("198.51.100.0", "198.51.100.255"), ("203.0.113.0", "203.0.113.255"),
        // Multicast, reserved, and limited broadcast.
        ("224.0.0.0", "239.255.255.255"), ("240.0.0.0", "255.255.255.255"),
        // Metadata of machines.
        ("169.254.169.254", "169.254.170.2"), ("168.63.129.16", "168.63.129.16"),
        ("100.100.100.200", "192.0.0.192"),
        // IANA IPv6 Special-Purpose Address Registry.
        ("::", "::1"), ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
        ("100::", "100::ffff:ffff:ffff:ffff"), ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"),
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"), ("2001:1::1", "2001:1::3"),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff"), ("2001:3::", "2001:4:112::1"),
        ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:20::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::"),
        ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2002::"),
        ("2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::1"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"), ("5f00::", "5f00:ffff::1"),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), ("fd00:ec2::254", "fec0::1"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), ("ff00::", "ff02::1"),
        // IPv4 in other forms: mapped, compatible, translated, 6to4, Teredo.
        ("::ffff:127.0.0.1", "::ffff:10.0.0.1"), ("::ffff:169.254.169.254", "::127.0.0.1"),
        ("::ffff:0:127.0.0.1", "::8.8.8.8"), ("64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254"),
        ("64:ff9b::10.0.0.1", "64:ff9b::192.168.1.1"), ("2002:7f00:1::", "2002:a9fe:a9fe::"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:7f00:1::"),
    ])
    func `special addresses are not public`(_ first: String, _ last: String) throws {
        #expect(try !isPublic(first), "\(first)")
        #expect(try !isPublic(last), "\(last)")
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "168.63.129.15",
        "2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1",
        "2606:4700::1111", "2620:4f:8001::1", "3ffe:ffff::1", "2a00:1450::1",
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    ])
    func `neighbours of special addresses are public`(_ address: String) throws {
        #expect(try isPublic(address), "\(address)")
    }

    @Test func `a Unix socket is not public`() {
        #expect(!SocketAddress.unix("/run/x.sock").isPublic)
    }
}
