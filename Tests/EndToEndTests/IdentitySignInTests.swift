import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Signing in with ID tokens of a provider, whose keys the server fetches over TLS.
@Suite(.mayBlock, .timeLimit(.minutes(Patience.minutes)))
struct IdentitySignInTests {
    private static let audience = "org.example.app"
    private static let nonce = "nonce-of-the-client"
    /// Its SHA-256, which is in tokens.
    private static let nonceDigest =
        "fd46906a3aea5f74725d176a50bab871cf31a62024e6fc08b7180157601465fb"

    /// A server that trusts a provider.
    private struct Fixture {
        let served: RunningServer
        let provider: TestIdentityProvider
        let key: TestSigningKey
        private let tokens = Counter()

        /// Runs the binary beside a provider.
        static func run(
            signUp: String, _ body: (Fixture) async throws -> Void
        ) async throws {
            let key = try TestSigningKey(.p256, id: "c1")
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            try await TestIdentityProvider.run([key]) { provider in
                let authorities = folder.file("authorities.pem")
                try write(String(decoding: provider.authorities, as: UTF8.self), to: authorities)
                let served = try RunningServer(
                    folder.file("a.db"),
                    [
                        "--sign-up", signUp, "--outbound-ca", authorities,
                        "--oidc", "test=\(provider.issuer),\(audience)",
                    ])
                try await body(Fixture(served: served, provider: provider, key: key))
                #expect(served.stop() == 0)
            }
        }

        private init(served: RunningServer, provider: TestIdentityProvider, key: TestSigningKey) {
            self.served = served
            self.provider = provider
            self.key = key
        }

        /// A token that was not there before, for an hour.
        func token(
            of subject: String, for audience: String = IdentitySignInTests.audience,
            by key: TestSigningKey? = nil
        ) -> String {
            let seconds = SystemClock.wallNanoseconds / 1_000_000_000
            return (key ?? self.key).token(
                #"{"iss":"\#(provider.issuer)","sub":"\#(subject)","aud":"\#(audience)","#
                    + #""iat":\#(seconds),"exp":\#(seconds + 3_600),"jti":"\#(tokens.next())","#
                    + #""nonce":"\#(nonceDigest)"}"#)
        }

        func signIn(
            _ token: String, nonce: String = IdentitySignInTests.nonce, invitation: String? = nil
        ) throws -> ReceivedResponse {
            let identity = ProvidedIdentity(
                provider: "test", idToken: token, nonce: nonce, invitation: invitation)
            let body = SignIn(.identity(identity)).json()
            let end = ContinuousClock.now + .seconds(Patience.seconds)
            while true {
                let response = try served.client.send(
                    .post, "/v1/sessions", fields: [.contentType: "application/json"], body: body)
                // On a busy machine, the keys may arrive later than the server waits.
                guard response.status == 503, ContinuousClock.now < end else { return response }
            }
        }

        /// The user that the token signs in.
        func user(_ token: String, invitation: String? = nil) throws -> User {
            let response = try signIn(token, invitation: invitation)
            try #require(response.status == 201, "\(response.text)")
            return try UserSession(mapping: response.body).user
        }
    }

    private static func kind(_ response: ReceivedResponse) throws -> Problem.Kind? {
        try Problem(mapping: response.body).kind
    }

    @Test func `where sign-up is open, the first token makes an account, the others find it`()
        async throws
    {
        try await Fixture.run(signUp: "open") { fixture in
            let first = fixture.token(of: "001.ab.0042")
            let user = try fixture.user(first)
            let name = try #require(user.name)
            #expect(name.wholeMatch(of: /user-[0-9a-f]{8}/) != nil)
            #expect(user.displayName == name && user.role == .reader)

            let replayed = try fixture.signIn(first)
            #expect(replayed.status == 401 && replayed.text.contains("was used before"))
            let second = fixture.token(of: "001.ab.0042")
            let wrongNonce = try fixture.signIn(second, nonce: "nonce-of-somebody-else")
            #expect(wrongNonce.status == 401)
            // What is rejected is not used up.
            #expect(try fixture.user(second) == user)

            let forged = fixture.token(of: "001.ab.0042", by: try TestSigningKey(.p256, id: "c1"))
            #expect(try fixture.signIn(forged).status == 401)
            let ofOtherApp = fixture.token(of: "001.ab.0042", for: "org.example.other")
            #expect(try fixture.signIn(ofOtherApp).status == 401)
            let other = try fixture.user(fixture.token(of: "001.ab.0043"))
            #expect(other.id != user.id && other.name != user.name)

            let disabled = try fixture.served.send(
                .patch, "/v1/users/\(user.id)", #"{"disabled":true}"#,
                type: "application/merge-patch+json")
            #expect(disabled.status == 200)
            let late = try fixture.signIn(fixture.token(of: "001.ab.0042"))
            #expect(late.status == 401 && late.text.contains("disabled"))
        }
    }

    @Test func `where it is not, the first token needs an invitation`() async throws {
        try await Fixture.run(signUp: "invitation") { fixture in
            let token = fixture.token(of: "001.ab.0042")
            let rejected = try fixture.signIn(token)
            let kind = try Self.kind(rejected)
            #expect(rejected.status == 403 && kind == .signUpClosed)
            let made = try fixture.served.send(.post, "/v1/invitations", #"{"role":"author"}"#)
            let invitation = try Invitation(mapping: made.body)
            let user = try fixture.user(token, invitation: invitation.code)
            #expect(user.role == .author)
            #expect(try fixture.user(fixture.token(of: "001.ab.0042")) == user)
            let again = try fixture.signIn(
                fixture.token(of: "001.ab.0043"), invitation: invitation.code)
            #expect(again.status == 422)
            let users = try fixture.served.send(.get, "/v1/users")
            #expect(try Page<User>(mapping: users.body).items == [user])
        }
    }
}
