import ArticleAPI
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// The ID tokens that are accepted.
@Suite struct IdentityTokenTests {
    private let fixture: OpenIDFixture

    init() throws { fixture = try OpenIDFixture() }

    /// Expects each token to be rejected for this reason.
    private func expect(_ fault: IdentityTokenFault, _ tokens: [String]) async throws {
        try await fixture.run {
            for token in tokens {
                let reason = try await fixture.rejection(of: token)
                #expect(reason == fault.reason, "\(token)")
            }
        }
    }

    @Test func `tokens of both algorithms identify a subject of an issuer`() async throws {
        try await fixture.run {
            for key in try [OpenIDFixture.curve.get(), OpenIDFixture.rsa.get()] {
                let identity = try await fixture.verify(fixture.token(by: key))
                #expect(identity.issuer == OpenIDFixture.issuer)
                #expect(identity.subject == "001.ab.0042")
                #expect(identity.tokenDigest.count == 32)
                let now = fixture.state.withLock { $0.now }
                #expect(identity.acceptedUntil == now.advanced(byMilliseconds: 660_000))
            }
            #expect(fixture.fetchCount == 1)
        }
    }

    @Test func `an e-mail address identifies nobody`() async throws {
        let changes = ["sub": nil, "email": #""ada@example.org""#, "email_verified": "true"]
        try await expect(.claim("sub"), [fixture.token(changes)])
    }

    @Test func `a token of another issuer is rejected, also if it is similar`() async throws {
        let issuers = [
            "https://id.example.org", OpenIDFixture.issuer + "/", "HTTPS://id.example.org/a",
            "https://id.example.org/A", OpenIDFixture.otherIssuer,
        ]
        try await expect(.issuer, issuers.map { try fixture.token(["iss": "\"\($0)\""]) })
        try await fixture.run {
            let reason = try await fixture.rejection(of: fixture.token(), with: "other")
            #expect(reason == IdentityTokenFault.issuer.reason)
        }
        // Tokens for others cause no fetches.
        #expect(fixture.fetchCount == 0)
    }

    @Test func `a token for another audience is rejected`() async throws {
        let audiences = [#""other""#, #""org.example.app ""#, #"["other"]"#, #"["a","b"]"#]
        try await expect(.audience, audiences.map { try fixture.token(["aud": $0]) })
        try await expect(
            .claim("aud"),
            ["7", "[]", "{}", "null", #"["org.example.app",7]"#].map {
                try fixture.token(["aud": $0])
            } + [fixture.token(["aud": nil])])
    }

    @Test func `of several audiences, the authorized party has to be this one`() async throws {
        let several = #"["other","org.example.app"]"#
        let wrong = [#""other""#, #""""#]
        try await expect(
            .authorizedParty,
            wrong.map { try fixture.token(["aud": several, "azp": $0]) }
                + [fixture.token(["aud": several])])
        // A single audience does not help another client, either.
        try await expect(.authorizedParty, wrong.map { try fixture.token(["azp": $0]) })
        try await expect(.claim("azp"), [fixture.token(["aud": several, "azp": "7"])])
        try await fixture.run {
            _ = try await fixture.verify(
                fixture.token(["aud": several, "azp": #""org.example.app""#]))
            _ = try await fixture.verify(fixture.token(["aud": #"["org.example.app"]"#]))
            _ = try await fixture.verify(fixture.token(["azp": #""org.example.app""#]))
        }
    }

    @Test func `a configured party may request tokens for the audience, and nobody else`()
        async throws
    {
        let (google, party) = ("\"\(OpenIDFixture.google)\"", "\"\(OpenIDFixture.party)\"")
        let several = #"["other","org.example.app"]"#
        try await fixture.run {
            for claims in [
                ["iss": google, "azp": party], ["iss": google, "azp": party, "aud": several],
                ["iss": google, "azp": #""org.example.app""#], ["iss": google],
            ] {
                let identity = try await fixture.verify(fixture.token(claims), with: "google")
                #expect(identity.issuer == OpenIDFixture.google)
            }
            for (claims, fault) in [
                (["azp": #""1234-ios.apps.googleusercontent.com""#], .authorizedParty),
                (["aud": several], .authorizedParty), (["azp": #""""#], .authorizedParty),
                // A party is no audience.
                (["aud": party, "azp": party], .audience), (["aud": party], .audience),
            ] as [([String: String?], IdentityTokenFault)] {
                let token = try fixture.token(claims.merging(["iss": google]) { $1 })
                #expect(try await fixture.rejection(of: token, with: "google") == fault.reason)
            }
            // It is one of this provider only.
            let reason = try await fixture.rejection(of: fixture.token(["azp": party]))
            #expect(reason == IdentityTokenFault.authorizedParty.reason)
        }
    }

    @Test func `Google's issuer without a scheme is the same one`() async throws {
        try await fixture.run {
            let bare = #""accounts.google.com""#
            let identity = try await fixture.verify(fixture.token(["iss": bare]), with: "google")
            #expect(identity.issuer == OpenIDFixture.google)
            for issuer in ["accounts.google.com/", "http://accounts.google.com", "google.com"] {
                let reason = try await fixture.rejection(
                    of: fixture.token(["iss": "\"\(issuer)\""]), with: "google")
                #expect(reason == IdentityTokenFault.issuer.reason)
            }
            for issuer in [bare, #""id.example.org/a""#] {
                let reason = try await fixture.rejection(of: fixture.token(["iss": issuer]))
                #expect(reason == IdentityTokenFault.issuer.reason)
            }
        }
    }

    @Test func `a token is accepted until it expires, and for a minute of another clock`()
        async throws
    {
        let seconds = Int(fixture.state.withLock { $0.now.milliseconds / 1_000 })
        try await expect(
            .expired, [60, 61, 1_000].map { try fixture.token(["exp": "\(seconds - $0)"]) })
        try await expect(
            .claim("exp"),
            [nil, "null", #""1""#, "-1", "1e400", "1e99"].map { try fixture.token(["exp": $0]) })
        try await fixture.run {
            let identity = try await fixture.verify(fixture.token(["exp": "\(seconds - 59)"]))
            #expect(identity.acceptedUntil.milliseconds == Int64(seconds + 1) * 1_000)
            _ = try await fixture.verify(fixture.token(["exp": "\(seconds).5"]))
        }
    }

    @Test func `a token is accepted for 10 minutes, whatever its expiry is`() async throws {
        let seconds = Int(fixture.state.withLock { $0.now.milliseconds / 1_000 })
        try await expect(
            .tooOld, [660, 661, 90_000].map { try fixture.token(["iat": "\(seconds - $0)"]) })
        try await expect(
            .notYetValid, [61, 90_000].map { try fixture.token(["iat": "\(seconds + $0)"]) })
        try await expect(.notYetValid, [fixture.token(["nbf": "\(seconds + 61)"])])
        try await expect(.claim("iat"), [nil, "true"].map { try fixture.token(["iat": $0]) })
        try await expect(.claim("nbf"), [fixture.token(["nbf": #""1""#])])
        try await fixture.run {
            for time in [seconds - 659, seconds + 60] {
                _ = try await fixture.verify(fixture.token(["iat": "\(time)", "nbf": "\(time)"]))
            }
        }
    }

    @Test func `the nonce has to be the digest of the client's`() async throws {
        let upper = ByteText.hexadecimal(Digest.sha256(OpenIDFixture.nonce.utf8)).uppercased()
        let wrong = [
            OpenIDFixture.nonce, upper, "", ByteText.hexadecimal(Digest.sha256("another".utf8)),
        ]
        try await expect(.nonce, wrong.map { try fixture.token(["nonce": "\"\($0)\""]) })
        try await expect(.claim("nonce"), [nil, "7"].map { try fixture.token(["nonce": $0]) })
        try await fixture.run {
            let other = try await fixture.rejection(
                of: fixture.token(), nonce: "another nonce of 16")
            #expect(other == IdentityTokenFault.nonce.reason)
            for nonce in ["", "short", String(repeating: "a", count: 256)] {
                let digest = ByteText.hexadecimal(Digest.sha256(nonce.utf8))
                let token = try fixture.token(["nonce": "\"\(digest)\""])
                do throws(ServiceError) {
                    _ = try await fixture.verify(token, nonce: nonce)
                    Issue.record("a nonce of \(nonce.utf8.count) bytes was accepted")
                } catch {
                    guard case .invalid(let details) = error else { throw error }
                    #expect("\(details)".contains("/nonce"))
                }
            }
        }
    }

    @Test func `a provider that is not configured is invalid`() async throws {
        do throws(ServiceError) {
            _ = try await fixture.verify("a.b.c", with: "apple")
            Issue.record("it was accepted")
        } catch {
            guard case .invalid(let details) = error else { throw error }
            #expect("\(details)".contains("/provider"))
        }
    }

    @Test func `a token has one spelling and one meaning`() async throws {
        let token = try fixture.token()
        let parts = token.split(separator: ".").map(String.init)
        let twice = try OpenIDFixture.curve.get().token(
            #"{"sub":"eve","# + fixture.claims().dropFirst())
        let twiceInHeader = try fixture.token(header: #"{"alg":"none","alg":"ES256","kid":"c1"}"#)
        let malformed = [
            "", ".", "..", "a", parts[0] + "." + parts[1], token + ".", token + "=",
            token + "\n", " " + token, token + "." + parts[2], parts[0] + ".." + parts[2],
            token.replacing(".", with: ".!"), String(token.dropLast()) + "+",
            parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "A." + parts[1] + ".AAAA",
            twice, twiceInHeader, try fixture.token(header: "[]"),
            try fixture.token(header: "null"),
            try fixture.token(header: #"{"alg":"ES256","kid":7}"#),
            try OpenIDFixture.curve.get().token("[]"), try OpenIDFixture.curve.get().token("{"),
            try OpenIDFixture.curve.get().token(fixture.claims() + "{}"),
        ]
        try await expect(.malformed, malformed)
        let long = try fixture.token(["x": "\"" + String(repeating: "a", count: 20_000) + "\""])
        try await expect(.tooLong, [long])
    }

    @Test func `a subject is 1 to 255 ASCII characters`() async throws {
        let wrong = ["", String(repeating: "a", count: 256), "é", #"a\u0000b"#, #"a\nb"#]
        try await expect(.claim("sub"), wrong.map { try fixture.token(["sub": "\"\($0)\""]) })
        try await expect(.claim("sub"), [fixture.token(["sub": "7"])])
        try await fixture.run {
            let longest = String(repeating: "a", count: 255)
            let identity = try await fixture.verify(fixture.token(["sub": "\"\(longest)\""]))
            #expect(identity.subject == longest)
        }
    }

    @Test func `a rejection does not repeat the token`() async throws {
        let token = try fixture.token(["sub": #""hidden\u0000""#, "aud": #""hidden""#])
        try await fixture.run {
            let reason = try await fixture.rejection(of: token)
            let problem = ServiceError.unauthenticated(.identityToken(reason: reason ?? ""))
                .problem(instance: "r1")
            #expect(problem.status == 401)
            #expect(problem.detail == "The identity token has no valid claim sub.")
        }
    }
}
