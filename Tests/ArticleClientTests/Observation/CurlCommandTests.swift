import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct CurlCommandTests {
    private func line(
        _ method: HTTPMethod, _ target: String, _ fields: HTTPFields = HTTPFields(),
        _ body: String = "", origin: String = "http://localhost:8080"
    ) throws -> String {
        CurlCommand.text(
            of: HTTPRequest(
                method, try #require(RequestTarget(target.utf8)), fields: fields,
                body: Array(body.utf8)), to: try #require(HTTPOrigin(origin)))
    }

    @Test func `a request is printed as a shell command`() throws {
        #expect(try line(.get, "/v1/a?b=c") == "curl 'http://localhost:8080/v1/a?b=c'")
        #expect(try line(.head, "/") == "curl --head 'http://localhost:8080/'")
        #expect(
            try line(.post, "/", [.accept: "it's"], #"{"title":"it's"}"#)
                == #"curl -X POST 'http://localhost:8080/' -H 'Accept: it'\''s' "#
                + #"--data-binary '{"title":"it'\''s"}'"#)
        #expect(
            try line(.get, "/a", origin: "unix:/run/b c")
                == "curl --unix-socket '/run/b c' 'http://localhost/a'")
    }

    @Test func `a shell parses the words unchanged`() throws {
        let program = try line(.post, "/", [:], "a'b\"c$d`e\\f\ng")
        #expect(program.hasSuffix("--data-binary 'a'\\''b\"c$d`e\\f\ng'"))
    }

    @Test func `secrets are omitted`() throws {
        let fields: HTTPFields = [
            .authorization: "Bearer bsk_1_verysecret", .cookie: "session=verysecret",
            .proxyAuthorization: "Basic verysecret", .accept: "bsa_2_verysecret",
        ]
        let body = #"{"a":[{"Password":"verysecret","b":1}],"refresh_token":"verysecret"}"#
        let text = try line(.post, "/x/bsr_verysecret?token=verysecret&a=b", fields, body)
        #expect(!text.contains("verysecret"))
        #expect(text.contains("Authorization: Bearer <redacted>"))
        #expect(
            text.contains(#"{"a":[{"Password":"<redacted>","b":1}],"refresh_token":"<redacted>"}"#))
        #expect(text.contains("/x/<redacted>?token=<redacted>&a=b"))
    }

    @Test func `the secrets of accounts are omitted`() throws {
        let bodies = [
            SignUpRequest(name: "mina", password: "verysecret", invitation: "verysecret").user
                .json(),
            SignIn(
                .identity(
                    ProvidedIdentity(provider: "a", idToken: "verysecret", nonce: "verysecret"))
            )
            .json(),
            User.PasswordChange(current: "verysecret", password: "verysecret").json(),
        ]
        for body in bodies {
            let text = try line(.post, "/", [:], String(decoding: body, as: UTF8.self))
            #expect(text.contains("<redacted>") && !text.contains("verysecret"))
        }
        #expect(try !line(.get, "/x/bsi_verysecret").contains("verysecret"))
    }

    @Test func `binary and long bodies are replaced by their size`() throws {
        let request = HTTPRequest(
            .post, try #require(RequestTarget(path: "/")), body: [0xFF, 0xFE])
        let origin = try #require(HTTPOrigin("http://a"))
        #expect(CurlCommand.text(of: request, to: origin).hasSuffix("--data-binary '<2 bytes>'"))
        let long = try line(.post, "/", [:], String(repeating: "a", count: 20_000))
        #expect(long.hasSuffix("--data-binary '<20000 bytes>'"))
    }

    @Test func `an event shows no secrets, however it is printed`() async throws {
        let events = Lock([BackendEvent]())
        let backend = TestBackend { _, _ in rejection(.forbidden) }
        let service = backend.service(
            auth: BackendAuth(token: "bsk_secret"),
            observers: [{ event in events.withLock { $0.append(event) } }])
        _ = await outcome { try await service.send(list) }
        let heard = events.withLock { $0 }
        #expect(heard.count == 2)
        for event in heard {
            var text = "\(event) \(String(reflecting: event))"
            dump(event, to: &text)
            #expect(!text.contains("secret"))
            #expect(!text.contains("98, 115, 107") && !text.contains("- 98"))
        }
    }
}
