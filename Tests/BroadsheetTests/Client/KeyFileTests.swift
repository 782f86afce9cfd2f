import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

@Suite struct KeyFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ server: String) throws -> KeyFile {
        KeyFile(try #require(BaseURL(server)), folder: folder.path)
    }

    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
    }

    @Test func `each server has its own key, however similar the names`() throws {
        let servers = [
            "http://localhost:18120", "http://localhost/18120", "http://localhost_18120",
            "https://localhost:18120", "unix:/localhost/18120",
        ]
        for server in servers { try file(server).save(Credentials(token: server)) }
        for server in servers { #expect(try file(server).load()?.token == server) }
        try file(servers[0]).remove()
        #expect(try file(servers[0]).load() == nil)
        #expect(try file(servers[1]).load()?.token == servers[1])
    }

    @Test func `a session is stored with what renews it`() throws {
        let mine = try file("http://a.example")
        let session = Credentials(
            token: "bsa_1", refreshToken: "bsr_1", account: "7",
            expiresAt: Timestamp(milliseconds: 1_800_000_000_000))
        try mine.save(session)
        #expect(try mine.load() == session)
    }

    @Test func `a key file that was moved to another server's path is rejected`() throws {
        let (mine, other) = (try file("http://a.example"), try file("http://b.example"))
        try mine.save(Credentials(token: "secret"))
        try #require(rename(mine.path, other.path) == 0)
        let error = #expect(throws: CredentialStoreError.self) { try other.load() }
        #expect(error?.description.contains("not for http://b.example") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a file of an earlier version is read if it can belong to one server only`() throws {
        let certain = try file("https://articles.example.org")
        try write(#"{"token":"old"}"#, to: certain.earlierPath)
        #expect(try certain.load()?.token == "old")
        let doubtful = try file("http://localhost:8080")
        try write(#"{"token":"old"}"#, to: doubtful.earlierPath)
        #expect(throws: CredentialStoreError.self) { try doubtful.load() }
        try doubtful.save(Credentials(token: "new"))
        #expect(try doubtful.load()?.token == "new")
        #expect(access(doubtful.earlierPath, F_OK) != 0)
    }

    @Test func `a file that others may read is rejected`() throws {
        let mine = try file("http://a.example")
        try mine.save(Credentials(token: "secret"))
        var status = stat()
        try #require(stat(mine.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try #require(chmod(mine.path, 0o644) == 0)
        #expect(throws: CredentialStoreError.self) { try mine.load() }
    }
}
