import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct HandshakeTests {
    private static let ecdsa = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305",
    ]
    private static let rsa = [
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
        "ECDHE-RSA-CHACHA20-POLY1305", "DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES256-GCM-SHA384",
        "DHE-RSA-CHACHA20-POLY1305",
    ]

    private static func bothKeys(_ profile: TLSProfile = .intermediate) throws -> TLSTest {
        let (certificates, rsa) = try shared.get()
        return try TLSTest(certificates, profile: profile) {
            [try $0.pair(["localhost"]), rsa]
        }
    }

    private static let shared = Result {
        let certificates = try TestCertificates()
        return (certificates, try certificates.pair(["localhost"], rsa: true))
    }

    @Test func `the intermediate profile supports the guideline's TLS 1_2 suites with both keys`()
        async throws
    {
        let test = try Self.bothKeys()
        try await test.run { server in
            for cipher in Self.ecdsa + Self.rsa {
                let (connection, session) = try server.connect(
                    test.options {
                        $0.version = TestTLS.tls12
                        $0.ciphers = cipher
                    })
                try connection.send(get)
                #expect(try connection.response().text == "hello")
                #expect(session.cipher == cipher)
                #expect(session.certificateUsesRSA == Self.rsa.contains(cipher))
            }
        }
    }

    @Test(arguments: [
        "ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "AES128-GCM-SHA256", "AES256-SHA",
        "ECDHE-ECDSA-AES256-CCM", "DHE-RSA-AES128-SHA", "ECDHE-RSA-NULL-SHA", "AECDH-AES128-SHA",
    ])
    func `the intermediate profile rejects every other suite`(cipher: String) async throws {
        let test = try Self.bothKeys()
        try await test.run { server in
            #expect(throws: TestFailure.self) {
                try server.connect(
                    test.options {
                        $0.version = TestTLS.tls12
                        $0.ciphers = cipher
                    })
            }
            let isServed = try server.serves(test.options())
            #expect(isServed)
        }
    }

    @Test(arguments: TLSProfile.allCases)
    func `each profile supports the three TLS 1_3 suites`(profile: TLSProfile) async throws {
        let test = try Self.bothKeys(profile)
        try await test.run { server in
            for suite in [
                "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
            ] {
                let (connection, session) = try server.connect(
                    test.options {
                        $0.version = TestTLS.tls13
                        $0.suites = suite
                    })
                try connection.send(get)
                #expect(try connection.response().text == "hello")
                #expect(session.cipher == suite)
            }
        }
    }

    @Test(arguments: [
        (TLSProfile.modern, TestTLS.tls12), (.modern, TestTLS.tls11),
        (.intermediate, TestTLS.tls11),
    ])
    func `older versions are rejected`(profile: TLSProfile, version: Int32) async throws {
        let test = try TLSTest(profile: profile)
        try await test.run { server in
            #expect(throws: TestFailure.self) {
                try server.connect(
                    test.options {
                        $0.version = version
                        $0.ciphers = "ALL"
                    })
            }
            let isServed = try server.serves(test.options())
            #expect(isServed)
        }
    }

    @Test(arguments: [
        ("ECDSA+SHA256", false), ("RSA-PSS+SHA256", true), ("RSA-PSS+SHA256:ECDSA+SHA256", true),
    ])
    func `the certificate has a key that the client can verify`(
        signatures: String, usesRSA: Bool
    ) async throws {
        let test = try Self.bothKeys()
        try await test.run { server in
            let (_, session) = try server.connect(test.options { $0.signatures = signatures })
            #expect(session.certificateUsesRSA == usesRSA)
        }
    }

    @Test(arguments: [
        ("one.test", "one.test"), ("TWO.test", "two.test"), ("any.three.test", "*.three.test"),
        ("exact.three.test", "exact.three.test"),
    ])
    func `each server name gets its certificate`(host: String, expected: String) async throws {
        let test = try Self.severalNames()
        try await test.run { server in
            let (_, session) = try server.connect(test.options(host))
            #expect(session.certificateName == expected)
        }
    }

    @Test(arguments: [nil, "unknown.test", "deep.any.three.test", "three.test", "."])
    func `without a known server name, the first certificate is used`(host: String?)
        async throws
    {
        let test = try Self.severalNames()
        try await test.run { server in
            let (connection, session) = try server.connect(TestTLS(host))
            #expect(session.certificateName == "one.test")
            try connection.send(get)
            #expect(try connection.response().status == 200)
        }
    }

    private static func severalNames() throws -> TLSTest {
        try TLSTest {
            [
                try $0.pair(["one.test"]), try $0.pair(["two.test", "zwei.test"]),
                try $0.pair(["*.three.test"]), try $0.pair(["exact.three.test"]),
            ]
        }
    }

    @Test func `ALPN only accepts http 1_1`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            for offered in [["http/1.1"], ["h2", "http/1.1"]] {
                let (_, session) = try server.connect(test.options { $0.protocols = offered })
                #expect(session.agreedProtocol == "http/1.1")
            }
            let (_, session) = try server.connect(test.options())
            #expect(session.agreedProtocol == nil)
            #expect(throws: TestFailure.self) {
                try server.connect(test.options { $0.protocols = ["h2", "ftp"] })
            }
        }
    }

    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `a session is resumed, also after the certificates were replaced`(version: Int32)
        async throws
    {
        let test = try TLSTest()
        try await test.run { server in
            let options = test.options { $0.version = version }
            let (connection, first) = try server.connect(options)
            #expect(!first.isResumed)
            try connection.send(get)
            _ = try connection.response()
            let ticket = try #require(first.ticket)
            for _ in 0..<2 {
                let (again, session) = try server.connect(
                    test.options {
                        $0.version = version
                        $0.session = ticket
                    })
                #expect(session.isResumed)
                try again.send(get)
                #expect(try again.response().text == "hello")
                // Otherwise OpenSSL would not resume this session a second time.
                session.sendEnd()
                try test.tls.replace([test.certificates.pair(["localhost"])])
            }
        }
    }

    @Test func `renegotiation and compression are not supported`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (_, session) = try server.connect(test.options { $0.version = TestTLS.tls12 })
            #expect(!session.renegotiate())
            #expect(!session.compresses)
            let isServed = try server.serves(test.options())
            #expect(isServed)
        }
    }
}
