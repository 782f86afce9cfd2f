import BroadsheetHTTP
import Testing

@Suite("Authorities, and the octets of tokens, hosts and targets")
struct AuthorityTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    @Test(
        arguments: [
            ("a.b:80", "a.b", 80), ("a", "a", nil), ("a:", "a", nil), ("a:0", "a", 0),
            ("a:080", "a", 80),
            ("[::1]:65535", "[::1]", 65_535), ("%41", "%41", nil), ("127.0.0.1", "127.0.0.1", nil),
            ("[2001:db8::192.0.2.1]", "[2001:db8::192.0.2.1]", nil),
        ] as [(String, String, UInt16?)])
    func `an authority is parsed into host and port`(text: String, host: String, port: UInt16?)
        throws
    {
        let authority = try #require(Authority(Array(text.utf8)))
        #expect(authority.host == host)
        #expect(authority.port == port)
    }

    @Test(arguments: [
        "", ":", ":80", "a:65536", "a:99999999999999999999", "a:b", "a: 80", "a:+80", "a:80:",
        "me@a", "%",
        "%4", "a%", "%4g", "[", "[]", "[::1", "[::1]80", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8::]",
        "[:1:2:3:4:5:6:7]", "[1.2.3.4]", "[::01.2.3.4]", "[::1.2.3.4:5]", "[v1.a]", "[::g]", "é",
    ])
    func `an invalid authority is rejected`(text: String) {
        #expect(Authority(Array(text.utf8)) == nil)
    }

    @Test func `every octet of a token is classified`() {
        for scalar in (0...0xFF).compactMap(Unicode.Scalar.init) {
            let isToken = ("!#$%&'*+-.^_`|~" + Self.letters).unicodeScalars.contains(scalar)
            #expect((HTTPMethod(String(scalar)) != nil) == isToken, "\(scalar.value)")
            #expect((HTTPFieldName(String(scalar)) != nil) == isToken, "\(scalar.value)")
        }
    }

    @Test func `every octet of a host is classified`() {
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: ":") {
            let isHost = ("-._~!$&'()*+,;=" + Self.letters).utf8.contains(byte)
            #expect((Authority([0x61, byte]) != nil) == isHost, "octet \(byte)")
        }
    }

    @Test func `every octet of a target is classified`() {
        for byte in UInt8.min...UInt8.max {
            let isRejected = byte <= 0x20 || byte >= 0x7F || "\"#<>\\^`{|}".utf8.contains(byte)
            #expect((RequestTarget([0x2F, byte]) == nil) == isRejected, "octet \(byte)")
            let isNever = byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#")
            let query = RequestTarget("/?".utf8 + [byte])
            let count = isNever ? nil : isRejected ? 5 : 3
            #expect(query?.bytes.count == count, "octet \(byte) in a query")
        }
    }
}
