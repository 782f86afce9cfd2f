import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Certificates of an intermediate authority, for clients that only know the root.
@Suite struct ChainTests {
    private let root: TestCertificates
    private let between: TestCertificates

    init() throws {
        root = try TestCertificates()
        between = try TestCertificates(below: root)
    }

    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `an intermediate certificate in the file is sent`(version: Int32) async throws {
        let own = try between.pair(["localhost"])
        let chain = own.certificate + Array(between.authority.certificatePEM.utf8)
        let whole = CertificateAndKey(certificate: chain, key: own.key)
        let test = try TLSTest(root) { [try $0.pair(["first.test"]), whole] }
        try await test.run { server in
            #expect(try server.serves(test.options { $0.version = version }))
            // Without it, no client could build the chain.
            try test.tls.replace([own])
            #expect(throws: TestFailure.self) {
                try server.connect(test.options { $0.version = version })
            }
            // The first pair is used for clients without a server name.
            try test.tls.replace([whole])
            let nameless = test.options {
                $0.version = version
                $0.host = nil
            }
            #expect(try server.serves(nameless))
        }
    }
}
