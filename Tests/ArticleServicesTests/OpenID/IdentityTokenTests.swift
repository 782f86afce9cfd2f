import ArticleAPI
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// The ID tokens that are accepted.
@Suite struct IdentityTokenTests {
    private let desk: OpenIDDesk

    init() throws { desk = try OpenIDDesk() }

    /// Expects each token to be rejected for this reason.
    private func expect(_ fault: IdentityTokenFault, _ tokens: [String]) async throws {
        try await desk.run {
            for token in tokens {
                let reason = try await desk.rejection(of: token)
                #expect(reason == fault.reason, "\(token)")
            }
        }
    }

    @Test func `tokens of both algorithms identify a subject of an issuer`() async throws {
        try await desk.run {
            for key in try [OpenIDDesk.curve.get(), OpenIDDesk.rsa.get()] {
                let identity = try await desk.verify(desk.token(by: key))
                #expect(identity.issuer == OpenIDDesk.issuer)
                #expect(identity.subject == "001.ab.0042")
                #expect(identity.tokenDigest.count == 32)
                let now = desk.state.withLock { $0.now }
                #expect(identity.acceptedUntil == now.advanced(byMilliseconds: 660_000))
            }
            #expect(desk.fetchCount == 1)
        }
    }

    @Test func `an e-mail address identifies nobody`() async throws {
        let changes = ["sub": nil, "email": #""ada@example.org""#, "email_verified": "true"]
        try await expect(.claim("sub"), [desk.token(changes)])
    }

    @Test func `a token of another issuer is rejected, also if it is similar`() async throws {
        let issuers = [
            "https://id.example.org", OpenIDDesk.issuer + "/", "HTTPS://id.example.org/a",
            "https://id.example.org/A", OpenIDDesk.otherIssuer,
        ]
        try await expect(.issuer, issuers.map { try desk.token(["iss": "\"\($0)\""]) })
        try await desk.run {
            let reason = try await desk.rejection(of: desk.token(), with: "other")
            #expect(reason == IdentityTokenFault.issuer.reason)
        }
        // Tokens for others cause no fetches.
        #expect(desk.fetchCount == 0)
    }

    @Test func `a token for another audience is rejected`() async throws {
        let audiences = [#""other""#, #""org.example.app ""#, #"["other"]"#, #"["a","b"]"#]
        try await expect(.audience, audiences.map { try desk.token(["aud": $0]) })
        try await expect(
            .claim("aud"),
            ["7", "[]", "{}", "null", #"["org.example.app",7]"#].map {
                try desk.token(["aud": $0])
            } + [desk.token(["aud": nil])])
    }

    @Test func `of several audiences, the authorized party has to be this one`() async throws {
        let several = #"["other","org.example.app"]"#
        let wrong = [#""other""#, #""""#]
        try await expect(
            .authorizedParty,
            wrong.map { try desk.token(["aud": several, "azp": $0]) }
                + [desk.token(["aud": several])])
        // A single audience does not help another client, either.
        try await expect(.authorizedParty, wrong.map { try desk.token(["azp": $0]) })
        try await expect(.claim("azp"), [desk.token(["aud": several, "azp": "7"])])
        try await desk.run {
            _ = try await desk.verify(
                desk.token(["aud": several, "azp": #""org.example.app""#]))
            _ = try await desk.verify(desk.token(["aud": #"["org.example.app"]"#]))
            _ = try await desk.verify(desk.token(["azp": #""org.example.app""#]))
        }
    }

    @Test func `a configured party may request tokens for the audience, and nobody else`()
        async throws
    {
        let (google, party) = ("\"\(OpenIDDesk.google)\"", "\"\(OpenIDDesk.party)\"")
        let several = #"["other","org.example.app"]"#
        try await desk.run {
            for claims in [
                ["iss": google, "azp": party], ["iss": google, "azp": party, "aud": several],
                ["iss": google, "azp": #""org.example.app""#], ["iss": google],
            ] {
                let identity = try await desk.verify(desk.token(claims), with: "google")
                #expect(identity.issuer == OpenIDDesk.google)
            }
            for (claims, fault) in [
                (["azp": #""1234-ios.apps.googleusercontent.com""#], .authorizedParty),
                (["aud": several], .authorizedParty), (["azp": #""""#], .authorizedParty),
                // A party is no audience.
                (["aud": party, "azp": party], .audience), (["aud": party], .audience),
            ] as [([String: String?], IdentityTokenFault)] {
                let token = try desk.token(claims.merging(["iss": google]) { $1 })
                #expect(try await desk.rejection(of: token, with: "google") == fault.reason)
            }
            // It is one of this provider only.
            let reason = try await desk.rejection(of: desk.token(["azp": party]))
            #expect(reason == IdentityTokenFault.authorizedParty.reason)
        }
    }

    @Test func `Google's issuer without a scheme is the same one`() async throws {
        try await desk.run {
            let bare = #""accounts.google.com""#
            let identity = try await desk.verify(desk.token(["iss": bare]), with: "google")
            #expect(identity.issuer == OpenIDDesk.google)
            for issuer in ["accounts.google.com/", "http://accounts.google.com", "google.com"] {
                let reason = try await desk.rejection(
                    of: desk.token(["iss": "\"\(issuer)\""]), with: "google")
                #expect(reason == IdentityTokenFault.issuer.reason)
            }
            for issuer in [bare, #""id.example.org/a""#] {
                let reason = try await desk.rejection(of: desk.token(["iss": issuer]))
                #expect(reason == IdentityTokenFault.issuer.reason)
            }
        }
    }

    @Test func `a token is accepted until it expires, and for a minute of another clock`()
        async throws
    {
        let seconds = Int(desk.state.withLock { $0.now.milliseconds / 1_000 })
        try await expect(
            .expired, [60, 61, 1_000].map { try desk.token(["exp": "\(seconds - $0)"]) })
        try await expect(
            .claim("exp"),
            [nil, "null", #""1""#, "-1", "1e400", "1e99"].map { try desk.token(["exp": $0]) })
        try await desk.run {
            let identity = try await desk.verify(desk.token(["exp": "\(seconds - 59)"]))
            #expect(identity.acceptedUntil.milliseconds == Int64(seconds + 1) * 1_000)
            _ = try await desk.verify(desk.token(["exp": "\(seconds).5"]))
        }
    }

    @Test func `a token is accepted for 10 minutes, whatever its expiry is`() async throws {
        let seconds = Int(desk.state.withLock { $0.now.milliseconds / 1_000 })
        try await expect(
            .tooOld, [660, 661, 90_000].map { try desk.token(["iat": "\(seconds - $0)"]) })
        try await expect(
            .notYetValid, [61, 90_000].map { try desk.token(["iat": "\(seconds + $0)"]) })
        try await expect(.notYetValid, [desk.token(["nbf": "\(seconds + 61)"])])
        try await expect(.claim("iat"), [nil, "true"].map { try desk.token(["iat": $0]) })
        try await expect(.claim("nbf"), [desk.token(["nbf": #""1""#])])
        try await desk.run {
            for time in [seconds - 659, seconds + 60] {
                _ = try await desk.verify(desk.token(["iat": "\(time)", "nbf": "\(time)"]))
            }
        }
    }

    @Test func `the nonce has to be the digest of the client's`() async throws {
        let upper = ByteText.hexadecimal(Digest.sha256(OpenIDDesk.nonce.utf8)).uppercased()
        let wrong = [
            OpenIDDesk.nonce, upper, "", ByteText.hexadecimal(Digest.sha256("another".utf8)),
        ]
        try await expect(.nonce, wrong.map { try desk.token(["nonce": "\"\($0)\""]) })
        try await expect(.claim("nonce"), [nil, "7"].map { try desk.token(["nonce": $0]) })
        try await desk.run {
            let other = try await desk.rejection(of: desk.token(), nonce: "another nonce of 16")
            #expect(other == IdentityTokenFault.nonce.reason)
            for nonce in ["", "short", String(repeating: "a", count: 256)] {
                let digest = ByteText.hexadecimal(Digest.sha256(nonce.utf8))
                let token = try desk.token(["nonce": "\"\(digest)\""])
                do throws(ServiceError) {
                    _ = try await desk.verify(token, nonce: nonce)
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
            _ = try await desk.verify("a.b.c", with: "apple")
            Issue.record("it was accepted")
        } catch {
            guard case .invalid(let details) = error else { throw error }
            #expect("\(details)".contains("/provider"))
        }
    }

    @Test func `a token has one spelling and one meaning`() async throws {
        let token = try desk.token()
        let parts = token.split(separator: ".").map(String.init)
        let twice = try OpenIDDesk.curve.get().token(
            #"{"sub":"eve","# + desk.claims().dropFirst())
        let twiceInHeader = try desk.token(header: #"{"alg":"none","alg":"ES256","kid":"c1"}"#)
        let malformed = [
            "", ".", "..", "a", parts[0] + "." + parts[1], token + ".", token + "=",
            token + "\n", " " + token, token + "." + parts[2], parts[0] + ".." + parts[2],
            token.replacing(".", with: ".!"), String(token.dropLast()) + "+",
            parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "A." + parts[1] + ".AAAA",
            twice, twiceInHeader, try desk.token(header: "[]"), try desk.token(header: "null"),
            try desk.token(header: #"{"alg":"ES256","kid":7}"#),
            try OpenIDDesk.curve.get().token("[]"), try OpenIDDesk.curve.get().token("{"),
            try OpenIDDesk.curve.get().token(desk.claims() + "{}"),
        ]
        try await expect(.malformed, malformed)
        let long = try desk.token(["x": "\"" + String(repeating: "a", count: 20_000) + "\""])
        try await expect(.tooLong, [long])
    }

    @Test func `a subject is 1 to 255 ASCII characters`() async throws {
        let wrong = ["", String(repeating: "a", count: 256), "é", #"a\u0000b"#, #"a\nb"#]
        try await expect(.claim("sub"), wrong.map { try desk.token(["sub": "\"\($0)\""]) })
        try await expect(.claim("sub"), [desk.token(["sub": "7"])])
        try await desk.run {
            let longest = String(repeating: "a", count: 255)
            let identity = try await desk.verify(desk.token(["sub": "\"\(longest)\""]))
            #expect(identity.subject == longest)
        }
    }

    @Test func `a rejection does not repeat the token`() async throws {
        let token = try desk.token(["sub": #""hidden\u0000""#, "aud": #""hidden""#])
        try await desk.run {
            let reason = try await desk.rejection(of: token)
            let problem = ServiceError.unauthenticated(.identityToken(reason: reason ?? ""))
                .problem(instance: "r1")
            #expect(problem.status == 401)
            #expect(problem.detail == "The identity token has no valid claim sub.")
        }
    }
}
