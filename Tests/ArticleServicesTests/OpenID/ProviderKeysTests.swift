import ArticleAPI
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// The times at which the keys of a provider are fetched.
@Suite struct ProviderKeysTests {
    private let fixture: OpenIDFixture

    init() throws { fixture = try OpenIDFixture() }

    /// The reason why there are no keys if the client was stopped.
    private static let failure =
        "the keys of the provider main cannot be fetched: \(OpenIDFixture.issuer)"
        + "/.well-known/openid-configuration: the client was stopped"

    @Test(
        arguments: [
            (nil, 300), (0, 300), (-1, 300), (10, 300), (301, 301), (3_600, 3_600),
            (86_400, 86_400), (90_000, 86_400), (Int64.max, 86_400),
        ] as [(Int64?, Int64)])
    func `keys are kept as long as the provider says, within bounds`(
        maxAge: Int64?, lifetime: Int64
    ) async throws {
        fixture.state.withLock { $0.maxAgeSeconds = maxAge }
        try await fixture.run {
            _ = try await fixture.verify(fixture.token())
            fixture.advance(seconds: lifetime - 1)
            _ = try await fixture.verify(fixture.token())
            #expect(fixture.fetchCount == 1)
            fixture.advance(seconds: 1)
            _ = try await fixture.verify(fixture.token())
            #expect(fixture.fetchCount == 2)
        }
    }

    @Test func `keys that were replaced are fetched when a token names a new one`() async throws {
        let new = try TestSigningKey(.p256, id: "c2")
        try await fixture.run {
            _ = try await fixture.verify(fixture.token())
            fixture.state.withLock { $0.keys = [new.publicKey] }
            fixture.advance(seconds: 60)
            _ = try await fixture.verify(fixture.token(by: new))
            #expect(fixture.fetchCount == 2)
            // Tokens signed with the old key are rejected.
            fixture.advance(seconds: 60)
            let reason = try await fixture.rejection(of: fixture.token())
            #expect(reason == IdentityTokenFault.unknownKey.reason)
        }
    }

    /// Rejects tokens with these names of keys, all at once.
    private func storm(_ names: Range<Int>) async throws {
        let tokens = try names.map {
            try fixture.token(header: #"{"alg":"ES256","kid":"storm-\#($0)"}"#)
        }
        let reasons = try await withThrowingTaskGroup(of: String?.self) { group in
            for token in tokens {
                group.addTask { [fixture] in try await fixture.rejection(of: token) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(reasons == [IdentityTokenFault.unknownKey.reason])
    }

    @Test func `unknown names of keys cause one fetch in a minute`() async throws {
        try await fixture.run {
            try await storm(0..<200)
            #expect(fixture.fetchCount == 1)
            fixture.advance(seconds: 59)
            try await storm(200..<400)
            #expect(fixture.fetchCount == 1)
            fixture.advance(seconds: 1)
            try await storm(400..<600)
            try await storm(600..<800)
            #expect(fixture.fetchCount == 2)
            _ = try await fixture.verify(fixture.token())
        }
    }

    @Test func `clients that need keys at once share a fetch`() async throws {
        let token = try fixture.token()
        try await fixture.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { [fixture] in _ = try await fixture.verify(token) }
                }
                try await group.waitForAll()
            }
            #expect(fixture.fetchCount == 1)
        }
    }

    @Test func `a provider that hangs delays no other one, and disconnecting ends no fetch`()
        async throws
    {
        let gate = Signal()
        fixture.state.withLock { $0.gate = gate }
        let (mine, other) = (
            try fixture.token(), try fixture.token(["iss": "\"\(OpenIDFixture.otherIssuer)\""])
        )
        try await fixture.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [fixture] in _ = try await fixture.verify(mine) }
                let hasBegun = await eventually { !fixture.state.withLock { $0.fetched.isEmpty } }
                #expect(hasBegun)
                _ = try await fixture.verify(other, with: "other")
                // The client has disconnected.
                group.cancelAll()
                gate.give()
                try await group.waitForAll()
            }
            _ = try await fixture.verify(mine)
            #expect(fixture.fetchCount == 2)
        }
    }

    @Test func `without keys, a failing provider is an outage with a cause`() async throws {
        fixture.state.withLock { $0.failure = .stopped }
        try await fixture.run {
            let cause = try await fixture.outage(of: fixture.token())
            #expect(cause == Self.failure)
            // It is not bothered by each client.
            fixture.advance(seconds: 4)
            let again = try await fixture.outage(of: fixture.token())
            #expect(again == cause)
            #expect(fixture.state.withLock { $0.fetched.count } == 1)
            fixture.state.withLock { $0.failure = nil }
            fixture.advance(seconds: 1)
            _ = try await fixture.verify(fixture.token())
        }
    }

    @Test func `keys that are there are used for a day without the provider`() async throws {
        try await fixture.run {
            _ = try await fixture.verify(fixture.token())
            fixture.state.withLock { $0.failure = .stopped }
            fixture.advance(seconds: 86_399)
            _ = try await fixture.verify(fixture.token())
            _ = try await fixture.verify(fixture.token())
            #expect(fixture.state.withLock { $0.fetched.count } == 3)
            let log = fixture.state.withLock { $0.log }
            #expect(log == [Self.failure])
            fixture.advance(seconds: 1)
            let cause = try await fixture.outage(of: fixture.token())
            #expect(cause == Self.failure)
        }
    }

    @Test func `an unknown key is an outage while the provider fails`() async throws {
        let new = try TestSigningKey(.p256, id: "c2")
        try await fixture.run {
            _ = try await fixture.verify(fixture.token())
            fixture.state.withLock { $0.failure = .stopped }
            fixture.advance(seconds: 60)
            for _ in 1...2 {
                let cause = try await fixture.outage(of: fixture.token(by: new))
                #expect(cause == Self.failure)
            }
            _ = try await fixture.verify(fixture.token())
            #expect(fixture.state.withLock { $0.fetched.count } == 3)
        }
    }

    @Test func `if the clock was set back, keys are fetched again`() async throws {
        try await fixture.run {
            _ = try await fixture.verify(fixture.token())
            fixture.advance(seconds: -90_000)
            _ = try await fixture.verify(fixture.token())
            #expect(fixture.fetchCount == 2)
        }
    }

    @Test(arguments: [
        ("{}", "issuer"), ("[]", "issuer"), ("", "issuer"),
        (#"{"issuer":"https://id.example.org/a/","jwks_uri":"https://a.test"}"#, "another issuer"),
        (#"{"issuer":"https://id.example.org/a"}"#, "jwks_uri"),
        (#"{"issuer":"https://id.example.org/a","jwks_uri":"http://a.test/k"}"#, "jwks_uri"),
        (#"{"issuer":"https://id.example.org/a","jwks_uri":"https://u@a.test/k"}"#, "jwks_uri"),
        (#"{"issuer":"https://id.example.org/a","jwks_uri":"file:///etc/passwd"}"#, "jwks_uri"),
        (#"{"issuer":"x","issuer":"https://id.example.org/a","jwks_uri":"https://a"}"#, "issuer"),
    ])
    func `a wrong configuration is an outage`(text: String, cause: String) async throws {
        fixture.state.withLock { $0.configuration = text }
        try await fixture.run {
            let found = try await fixture.outage(of: fixture.token())
            #expect(found.contains(cause))
            #expect(fixture.state.withLock { $0.fetched.count } == 1)
        }
    }

    @Test func `when the server stops, nobody waits`() async throws {
        let gate = Signal()
        fixture.state.withLock { $0.gate = gate }
        let token = try fixture.token()
        let causes = try await withThrowingTaskGroup(of: String.self) { group in
            try await fixture.run {
                group.addTask { [fixture] in try await fixture.outage(of: token) }
                let hasBegun = await eventually { !fixture.state.withLock { $0.fetched.isEmpty } }
                #expect(hasBegun)
                fixture.state.withLock { $0.failure = .cancelled }
                gate.give()
            }
            group.addTask { [fixture] in try await fixture.outage(of: token) }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(causes.count == 2)
    }
}
