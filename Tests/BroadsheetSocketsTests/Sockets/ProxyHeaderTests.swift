import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct ProxyHeaderTests {
    private static let v6: [UInt8] = [
        0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7,
    ]

    @Test func `addresses of both families are parsed`() throws {
        let v4 = try #require(ProxyHeader(TestProxyHeader.v4([203, 0, 113, 9])))
        #expect(v4.client == .v4([203, 0, 113, 9], port: 4_711))
        #expect(v4.isSecure == nil)
        let v6 = try #require(ProxyHeader(TestProxyHeader.v6(Self.v6)))
        #expect(v6.client == .v6(Self.v6, port: 4_711))
    }

    @Test func `a Unix peer is parsed, and an unknown one is nil`() throws {
        let unix = TestProxyHeader.bytes(family: 0x31, [UInt8](repeating: 0, count: 216))
        #expect(ProxyHeader(unix)?.client == .unix(""))
        for (rest, isSecure) in [([], nil), (TestProxyHeader.ssl, true)] as [([UInt8], Bool?)] {
            let unknown = try #require(ProxyHeader(TestProxyHeader.bytes(family: 0, rest)))
            #expect(unknown.client == nil && unknown.isSecure == isSecure)
        }
    }

    @Test func `a LOCAL header names no client, whatever follows`() throws {
        for rest in [[1, 2, 3], TestProxyHeader.ssl] {
            let bytes = TestProxyHeader.bytes(command: 0x20, family: 0x11, rest)
            let header = try #require(ProxyHeader(bytes))
            #expect(header.client == nil && header.isSecure == nil)
        }
    }

    @Test func `one bit reports whether the client used TLS`() {
        for (values, expected) in [
            (TestProxyHeader.ssl, true), (TestProxyHeader.notSSL, false),
            ([0x04, 0, 2, 9, 9] + TestProxyHeader.ssl, true), ([0x04, 0, 0], nil),
        ] as [([UInt8], Bool?)] {
            let header = ProxyHeader(TestProxyHeader.v4([203, 0, 113, 9], values: values))
            #expect(header != nil)
            #expect(header?.isSecure == expected)
        }
    }

    @Test(
        arguments: [
            [], Array("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n".utf8),
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
            TestProxyHeader.bytes(command: 0x11, family: 0x11, [UInt8](repeating: 1, count: 12)),
            TestProxyHeader.bytes(command: 0x22, family: 0x11, [UInt8](repeating: 1, count: 12)),
            TestProxyHeader.bytes(family: 0x12, [UInt8](repeating: 1, count: 12)),
            TestProxyHeader.bytes(family: 0x41, [UInt8](repeating: 1, count: 40)),
            TestProxyHeader.bytes(family: 0x11, [UInt8](repeating: 1, count: 11)),
            TestProxyHeader.bytes(family: 0x21, [UInt8](repeating: 1, count: 35)),
            TestProxyHeader.bytes(family: 0x31, [UInt8](repeating: 1, count: 215)),
            TestProxyHeader.bytes(family: 0x11, [UInt8](repeating: 1, count: 12), length: 13),
            TestProxyHeader.bytes(family: 0x11, [UInt8](repeating: 0, count: 5_000)),
            TestProxyHeader.v4([1, 2, 3, 4], values: [0x20]),
            TestProxyHeader.v4([1, 2, 3, 4], values: [0x20, 0, 9, 1]),
            TestProxyHeader.v4([1, 2, 3, 4], values: [0x20, 0, 0]),
        ] as [[UInt8]])
    func `a malformed header is rejected`(bytes: [UInt8]) {
        #expect(ProxyHeader(bytes) == nil)
    }

    @Test func `a truncated header is rejected`() {
        let whole = TestProxyHeader.v4([203, 0, 113, 9], values: TestProxyHeader.ssl)
        for count in 0..<whole.count { #expect(ProxyHeader(Array(whole.prefix(count))) == nil) }
        #expect(ProxyHeader(whole) != nil)
        #expect(ProxyHeader(whole + [0]) == nil)
    }
}
