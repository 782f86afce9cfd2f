import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Foundation
import Testing

@testable import ArticleServiceCore
@testable import ArticleServices

/// The data that a thief of the database file finds.
@Suite struct LeakedDatabaseTests {
    @Test func `the file has no password, token or code, and no fast hash of a password`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let renewed = try UserSession(mapping: server.refresh(session).body)
            let made = try server.send("POST /v1/invitations", as: .admin, "{}")
            let code = try #require(try Invitation(mapping: made.body).code)
            try server.send(
                "PUT /v1/me/password", in: renewed,
                #"{"current":"correct horse","password":"battery staple"}"#)
            try server.send(
                "POST /v1/users", as: .anonymous,
                #"{"name":"bora","password":"tomorrow is monday","invitation":"\#(code)"}"#)

            let file = try Self.contents(of: server)
            let passwords = [correctPassword, "battery staple", "tomorrow is monday"]
            let secrets = [
                session.accessToken, session.refreshToken, renewed.accessToken,
                renewed.refreshToken, code,
            ]
            for text in passwords + secrets {
                #expect(!Self.contains(file, Array(text.utf8)), "\(text)")
                let digest = Digest.sha256(text.utf8)
                // Digests of tokens are stored: their 256 random bits cannot be guessed.
                #expect(!passwords.contains(text) || !Self.contains(file, digest), "\(text)")
                #expect(!Self.contains(file, Array(ByteText.hexadecimal(digest).utf8)), "\(text)")
            }
            #expect(Self.contains(file, Array("$argon2id$v=19$".utf8)))
        }
    }

    @Test func `a stored digest is not accepted as a token`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            var session = try server.signIn("mina")
            let id = session.accessToken.dropFirst(4).prefix(16)
            let access = ByteText.base64URL(Digest.sha256(session.accessToken.utf8))
            let refresh = ByteText.base64URL(Digest.sha256(session.refreshToken.utf8))
            session.accessToken = "bsa_\(id)_\(access)"
            session.refreshToken = "bsr_\(id)_\(refresh)"
            #expect(try server.send("GET /v1/me", in: session).status == 401)
            #expect(try server.refresh(session).status == 401)
        }
    }

    /// The database file and its log.
    private static func contents(of server: TestBackend) throws -> [UInt8] {
        let path = server.folder.file("store.db")
        return try [path, "\(path)-wal"].flatMap { path in
            [UInt8](try Data(contentsOf: URL(filePath: path)))
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        var start = bytes.startIndex
        while let index = bytes[start...].firstIndex(of: first) {
            if bytes[index...].starts(with: part) { return true }
            start = index + 1
        }
        return false
    }
}
