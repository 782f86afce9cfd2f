import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// The keys of a provider that are used.
@Suite struct KeySetTests {
    private let curve: TestSigningKey
    private let rsa: TestSigningKey

    init() throws {
        curve = try OpenIDFixture.curve.get()
        rsa = try OpenIDFixture.rsa.get()
    }

    private func rejection(
        _ keys: [String], _ make: (OpenIDFixture) throws -> String
    ) async throws -> String? {
        let fixture = try OpenIDFixture(keys)
        var reason: String?
        try await fixture.run { reason = try await fixture.rejection(of: make(fixture)) }
        return reason
    }

    @Test func `a token without the name of a key is accepted if there is one key`() async throws {
        let header = #"{"alg":"ES256"}"#
        let one = try await rejection([curve.publicKey]) { try $0.token(header: header) }
        #expect(one == nil)
        let unnamed = try await rejection(["{\(curve.parameters)}"]) {
            try $0.token(header: header)
        }
        #expect(unnamed == nil)
        let several = try await rejection([curve.publicKey, rsa.publicKey]) {
            try $0.token(header: header)
        }
        #expect(several == IdentityTokenFault.unnamedKey.reason)
        let other = try await rejection([rsa.publicKey]) { try $0.token(header: header) }
        #expect(other == IdentityTokenFault.otherKey.reason)
    }

    @Test func `two keys with one name are for two algorithms`() async throws {
        let named = [rsa, curve].map { #"{"kid":"k",\#($0.parameters)}"# }
        let reason = try await rejection(named) {
            try $0.token(header: #"{"alg":"ES256","kid":"k"}"#)
        }
        #expect(reason == nil)
        let twice = try await rejection(named + [named[1]]) {
            try $0.token(header: #"{"alg":"ES256","kid":"k"}"#)
        }
        #expect(twice == IdentityTokenFault.otherKey.reason)
    }

    /// A key set with one key that can be used, and these.
    private func isLeftOut(_ key: String, of signer: TestSigningKey) async throws -> Bool {
        let reason = try await rejection([key, #"{"kid":"x",\#(curve.parameters)}"#]) {
            try $0.token(by: signer)
        }
        return reason == IdentityTokenFault.unknownKey.reason
    }

    @Test func `keys that are weak or for something else are left out`() async throws {
        let short = try TestSigningKey(.rsa(bits: 1_024), id: "k")
        #expect(try await isLeftOut(short.publicKey, of: short))
        let wide = try TestSigningKey(.p384, id: "k")
        #expect(try await isLeftOut(wide.publicKey, of: wide))
        let disguised = wide.publicKey.replacing("P-384", with: "P-256")
        #expect(try await isLeftOut(disguised, of: wide))
        for change in [
            #""use":"enc""#, #""use":7"#, #""key_ops":["encrypt"]"#, #""key_ops":"verify""#,
            #""alg":"ES384""#, #""alg":"RS256""#, #""alg":null"#,
        ] {
            let key = #"{"kid":"c1",\#(change),\#(curve.parameters)}"#
            #expect(try await isLeftOut(key, of: curve), "\(change)")
        }
        let verifying = #"{"kid":"c1","key_ops":["verify"],\#(curve.parameters)}"#
        #expect(try await !isLeftOut(verifying, of: curve))
    }

    @Test func `malformed keys are left out`() async throws {
        let modulus = TestSigningKey.base64URL([UInt8](repeating: 0xFF, count: 256))
        let vast = TestSigningKey.base64URL([UInt8](repeating: 0xFF, count: 1_025))
        let off = TestSigningKey.base64URL([UInt8](repeating: 1, count: 32))
        for key in [
            #""kty":"RSA","n":"\#(modulus)","e":"AQ""#, #""kty":"RSA","n":"\#(modulus)","e":"Ag""#,
            #""kty":"RSA","n":"\#(modulus)","e":"""#, #""kty":"RSA","n":"\#(modulus)""#,
            #""kty":"RSA","n":"\#(vast)","e":"AQAB""#, #""kty":"RSA","n":"","e":"AQAB""#,
            #""kty":"RSA","n":"\#(modulus)=","e":"AQAB""#,
            #""kty":"RSA","n":"\#(modulus)","e":"AQAAAAE""#,
            #""kty":"EC","crv":"P-256","x":"\#(off)","y":"\#(off)""#,
            #""kty":"EC","crv":"P-256","x":"AA","y":"AA""#, #""kty":"EC","crv":"P-256""#,
            #""kty":"oct","k":"AAAA""#, #""kty":"OKP","crv":"Ed25519","x":"\#(off)""#, #""kty":7"#,
        ] {
            #expect(try await isLeftOut(#"{"kid":"c1",\#(key)}"#, of: curve), "\(key)")
        }
        let padded = TestSigningKey.base64URL([0] + [UInt8](repeating: 0xFF, count: 256))
        let key = try KeySet(
            Array(#"{"keys":[{"kty":"RSA","n":"\#(padded)","e":"AQAB"}]}"#.utf8))
        let fixture = try OpenIDFixture()
        #expect(
            try !key.verifies(IdentityToken(fixture.token(header: #"{"alg":"RS256"}"#, by: rsa))))
    }

    @Test func `a set without a key that can be used is an outage`() async throws {
        let key = curve.publicKey
        let sets = [
            "", "[]", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[7]}"#, #"{"keys":[{}]}"#,
            #"{"keys":[\#(key)],"keys":[]}"#, #"{"keys":[{"kid":"a",\#(key.dropFirst())]}"#,
            #"{"keys":[\#(Array(repeating: key, count: 65).joined(separator: ","))]}"#,
        ]
        for set in sets {
            #expect(throws: OpenIDFailure.self, "\(set)") { try KeySet(Array(set.utf8)) }
        }
        _ = try KeySet(
            Array(#"{"keys":[\#(Array(repeating: key, count: 64).joined(separator: ","))]}"#.utf8))
    }
}
