import ArticleClient
import Glibc
import TestSupport
import Testing

@Suite struct FileCredentialStoreTests {
    @Test func `credentials come back from a file that only its owner can read`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        #expect(try store.load() == nil)
        let credentials = Credentials(token: "bsk_1_\"ü", refreshToken: "r")
        try store.save(Credentials(token: "first"))
        try store.save(credentials)
        #expect(try store.load() == credentials)
        var status = stat()
        #expect(stat(store.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try store.remove()
        try store.remove()
        #expect(try store.load() == nil)
    }

    @Test func `a file that others may read is refused`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        try store.save(Credentials(token: "a"))
        chmod(store.path, 0o640)
        #expect(throws: CredentialStoreError.self) { try store.load() }
    }

    @Test func `what is no credentials is refused, and where no file can be is told`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        let file = open(store.path, O_WRONLY | O_CREAT, 0o600)
        #expect(write(file, "{}", 2) == 2)
        close(file)
        #expect(throws: CredentialStoreError.self) { try store.load() }
        let nowhere = FileCredentialStore(path: folder.file("a/b"))
        #expect(throws: CredentialStoreError.self) { try nowhere.save(Credentials(token: "a")) }
    }

    @Test func `credentials do not show themselves`() {
        let credentials = Credentials(token: "secret", refreshToken: "secret")
        #expect(!"\(credentials)".contains("secret"))
        #expect(!String(reflecting: credentials).contains("secret"))
    }
}
