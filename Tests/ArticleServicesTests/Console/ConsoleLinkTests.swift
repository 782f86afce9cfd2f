import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleOperations
@testable import ArticleServices

/// The link that signs the operator in once, on this machine.
@Suite struct ConsoleLinkTests {
    private func makeProof(_ server: TestBackend) throws -> String {
        server.backend.consoleLinks.serves(at: "http://127.0.0.1:8080")
        let link = try #require(server.backend.consoleLinks.link())
        let parts = link.url.split(separator: "#token=")
        try #require(parts.count == 2 && parts[0] == "http://127.0.0.1:8080/console")
        return #"{"token":"\#(parts[1])"}"#
    }

    private let keys = "GET /v1/admin/keys"
    private let used = "401 unauthenticated"

    @Test func `a link signs in once, as the operator, on this machine only`() async throws {
        try await TestBackend.run(samples: false) { server in
            let proof = try makeProof(server)
            let response = try server.browse(TestBackend.signInLine, proof, .local)
            let session = try response.session()
            #expect(response.status == 201 && session.kind == .operator)
            #expect(session.role == "admin" && session.name == "operator" && !session.canRenew)
            let token = try #require(session.accessToken)
            let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
            #expect(try server.browse(keys, nil, .local, with: bearer).status == 200)
            let again = try server.browse(TestBackend.signInLine, proof, .local)
            #expect(again.summary == used)
            // The token is not worth anything elsewhere, nor through a proxy on this machine.
            for fields in Self.forwarded {
                var fields = fields
                fields.append(contentsOf: bearer)
                #expect(try server.browse(keys, nil, .local, with: fields).status == 401)
            }
            let end = try server.browse("DELETE /console/session", nil, .local, with: bearer)
            #expect(end.status == 204)
            #expect(try server.browse(keys, nil, .local, with: bearer).status == 401)
        }
    }

    private static let forwarded: [HTTPFields] = [
        [.xForwardedFor: "203.0.113.9", .xForwardedProto: "https"],
        [.xForwardedFor: "127.0.0.1"], [.xForwardedProto: "https"],
        [.forwarded: "for=127.0.0.1;proto=https"], [.via: "1.1 proxy"], [.xRealIP: "127.0.0.1"],
    ]

    @Test func `a link is not used up by those for whom it is not`() async throws {
        try await TestBackend.run(samples: false) { server in
            let proof = try makeProof(server)
            for fields in Self.forwarded {
                let response = try server.browse(
                    TestBackend.signInLine, proof, .local, with: fields)
                #expect(response.summary == used, "\(fields)")
            }
            let foreign = try server.browse(
                TestBackend.signInLine, proof, .local, site: "cross-site")
            #expect(foreign.status == 403)
            #expect(try server.browse(TestBackend.signInLine, proof, .local).status == 201)
        }
    }

    @Test func `a link is valid for ten minutes`() async throws {
        try await TestBackend.run(samples: false) { server in
            let (late, inTime) = (try makeProof(server), try makeProof(server))
            server.pass(milliseconds: 10 * 60 * 1_000 - 1)
            #expect(try server.browse(TestBackend.signInLine, inTime, .local).status == 201)
            server.pass(milliseconds: 1)
            #expect(try server.browse(TestBackend.signInLine, late, .local).summary == used)
        }
    }

    @Test func `the newest links count, however many were made`() async throws {
        try await TestBackend.run(samples: false) { server in
            let proofs = try (0...ConsoleSessions.limitLinks).map { _ in try makeProof(server) }
            let statuses = try proofs.map {
                try server.browse(TestBackend.signInLine, $0, .local).status
            }
            #expect(statuses == [401] + Array(repeating: 201, count: proofs.count - 1))
        }
    }

    @Test func `only the control socket makes links`() async throws {
        try await TestBackend.run(samples: false) { server in
            for sender in [Sender.operator, .admin, .anonymous] {
                let response = try server.send("POST /v1/admin/console-links", as: sender)
                #expect(response.status == 404)
            }
            let request = HTTPRequest(
                .post, try #require(RequestTarget(path: "/v1/admin/console-links")))
            let none = try await server.backend.controlRouter().respond(to: request)
            #expect(none.status == .unprocessableContent, "no loopback address is served")
            server.backend.consoleLinks.serves(at: "http://127.0.0.1:8080")
            let made = try await server.backend.controlRouter().respond(to: request)
            #expect(made.status == .created && made.fields[.cacheControl] == "no-store")
        }
    }

    /// Without a trusted proxy, but on an address that others can reach.
    @Test func `a link is worth nothing at an address that is not this machine's alone`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let proof = try makeProof(server)
            let anywhere = ServerConfiguration(
                addresses: [.v4([0, 0, 0, 0], port: 0)], system: .real)
            try await server.backend.run(with: anywhere) { test in
                let client = TestClient(.v4([127, 0, 0, 1], port: test.address.port))
                let response = try client.send(
                    .post, "/console/session",
                    fields: [.contentType: "application/json", .secFetchSite: "same-origin"],
                    body: Array(proof.utf8))
                #expect(response.status == 401)
            }
            #expect(try server.browse(TestBackend.signInLine, proof, .local).status == 201)
        }
    }
}
