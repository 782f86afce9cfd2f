import ArticleAPI
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// The signatures of ID tokens that are accepted.
@Suite struct TokenSignatureTests {
    private let fixture: OpenIDFixture
    private let curve: TestSigningKey
    private let rsa: TestSigningKey

    init() throws {
        fixture = try OpenIDFixture()
        curve = try OpenIDFixture.curve.get()
        rsa = try OpenIDFixture.rsa.get()
    }

    private func expect(
        _ fault: IdentityTokenFault, _ tokens: [String], at fixture: OpenIDFixture? = nil
    ) async throws {
        let fixture = fixture ?? self.fixture
        try await fixture.run {
            for token in tokens {
                let reason = try await fixture.rejection(of: token)
                #expect(reason == fault.reason, "\(token)")
            }
        }
    }

    /// A token whose signature is made from the bytes that are signed.
    private func token(
        _ header: String, signedBy sign: ([UInt8]) -> [UInt8]
    ) -> String {
        let input =
            ByteText.base64URL(Array(header.utf8)) + "."
            + ByteText.base64URL(Array(fixture.claims().utf8))
        return input + "." + ByteText.base64URL(sign(Array(input.utf8)))
    }

    @Test func `no other algorithm is accepted`() async throws {
        let names = [
            "none", "None", "NONE", "HS256", "HS512", "ES384", "ES512", "RS384", "PS256", "EdDSA",
            "es256", "ES256 ", "",
        ]
        var tokens = names.map { name in
            token(#"{"alg":"\#(name)","kid":"c1"}"#) { curve.signature(of: $0) }
        }
        tokens += ["", "a"].map { end in
            token(#"{"alg":"none"}"#) { _ in Array(end.utf8) }
        }
        tokens += [#"{"kid":"c1"}"#, #"{"alg":7}"#, #"{"alg":["ES256"]}"#].map { header in
            token(header) { curve.signature(of: $0) }
        }
        try await expect(.algorithm, tokens)
    }

    @Test func `a public key is not accepted as a shared secret`() async throws {
        let secrets = [curve.publicKey, rsa.publicKey, rsa.parameters]
        let tokens = secrets.flatMap { secret in
            ["c1", "r1"].map { id in
                token(#"{"alg":"HS256","kid":"\#(id)"}"#) {
                    Digest.hmac($0, key: Array(secret.utf8))
                }
            }
        }
        try await expect(.algorithm, tokens)
    }

    @Test func `the algorithm has to be that of the key`() async throws {
        try await expect(
            .otherKey,
            [
                token(#"{"alg":"ES256","kid":"r1"}"#) { curve.signature(of: $0) },
                token(#"{"alg":"RS256","kid":"c1"}"#) { rsa.signature(of: $0) },
            ])
        // A key that is for another algorithm verifies nothing.
        let limited = try OpenIDFixture([
            #"{"kid":"r1","alg":"PS256",\#(rsa.parameters)}"#,
            #"{"kid":"c1","alg":"ES256",\#(curve.parameters)}"#,
        ])
        try await expect(.unknownKey, [limited.token(by: rsa)], at: limited)
        try await limited.run { _ = try await limited.verify(limited.token(by: curve)) }
    }

    @Test func `keys in the token and addresses of keys are not used`() async throws {
        let own = try TestSigningKey(.p256, id: "c1")
        let headers = [
            #"{"alg":"ES256","kid":"c1","jwk":\#(own.publicKey)}"#,
            #"{"alg":"ES256","kid":"c1","jku":"https://evil.example.org/keys"}"#,
            #"{"alg":"ES256","kid":"c1","x5u":"https://evil.example.org/keys","x5c":["AA"]}"#,
        ]
        try await expect(.signature, headers.map { try fixture.token(header: $0, by: own) })
        let hosts = fixture.state.withLock { $0.fetched }
        #expect(hosts.allSatisfy { $0.hasPrefix(OpenIDFixture.issuer) })
        let critical = [#""crit":["exp"]"#, #""crit":[]"#, #""b64":false,"crit":["b64"]"#]
        try await expect(
            .critical, critical.map { try fixture.token(header: #"{"alg":"ES256",\#($0)}"#) })
    }

    @Test func `an access token is no ID token`() async throws {
        let types = [#""at+jwt""#, #""application/at+jwt""#, #""""#, "7"]
        try await expect(
            .type,
            types.map { try fixture.token(header: #"{"alg":"ES256","kid":"c1","typ":\#($0)}"#) })
        try await fixture.run {
            for type in [#","typ":"jwt""#, ""] {
                _ = try await fixture.verify(
                    fixture.token(header: #"{"alg":"ES256","kid":"c1"\#(type)}"#))
            }
        }
    }

    @Test func `a signature of other bytes, of another key or in another form is rejected`()
        async throws
    {
        let header = #"{"alg":"ES256","kid":"c1"}"#
        let other = try TestSigningKey(.p256, id: "c1")
        let zeros = [UInt8](repeating: 0, count: 32)
        var tokens = [
            token(header) { other.signature(of: $0) },
            token(header) { curve.signature(of: $0 + [0]) },
            token(header) { curve.plainSignature(of: $0) },
            token(header) { Array(curve.signature(of: $0).dropLast()) },
            token(header) { Array(curve.signature(of: $0).dropFirst()) },
            token(header) { curve.signature(of: $0) + [0] },
            token(header) { Array(curve.signature(of: $0).prefix(32)) + zeros },
            token(header) { zeros + Array(curve.signature(of: $0).suffix(32)) },
            token(header) { _ in zeros + zeros },
            token(header) { _ in [] },
            token(header) { _ in [UInt8](repeating: 0xFF, count: 64) },
        ]
        let otherRSA = try TestSigningKey(.rsa(bits: 2_048), id: "r1")
        tokens += [
            try fixture.token(by: otherRSA), token(#"{"alg":"RS256","kid":"r1"}"#) { _ in [] },
            token(#"{"alg":"RS256","kid":"r1"}"#) { rsa.signature(of: $0) + [0] },
            token(#"{"alg":"RS256","kid":"r1"}"#) { Array(rsa.signature(of: $0).dropLast()) },
            token(#"{"alg":"RS256","kid":"r1"}"#) { _ in [UInt8](repeating: 0, count: 256) },
        ]
        // Each changed byte of header and claims counts.
        let whole = try fixture.token().split(separator: ".").map(String.init)
        let changed = fixture.claims(["x": "1"])
        tokens.append(whole[0] + "." + ByteText.base64URL(Array(changed.utf8)) + "." + whole[2])
        try await expect(.signature, tokens)
    }

    @Test func `another valid signature makes no other token`() async throws {
        let input = try fixture.token().split(separator: ".").prefix(2).joined(separator: ".")
        let signed = Array(input.utf8)
        let tokens = [curve.signature(of: signed), curve.otherSignature(of: signed)].map {
            input + "." + ByteText.base64URL($0)
        }
        try await fixture.run {
            let first = try await fixture.verify(tokens[0])
            let second = try await fixture.verify(tokens[1])
            #expect(tokens[0] != tokens[1] && first.tokenDigest == second.tokenDigest)
        }
    }
}
