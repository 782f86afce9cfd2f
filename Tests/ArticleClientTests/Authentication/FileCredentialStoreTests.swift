import ArticleClient
import BroadsheetTestSupport
import Glibc
import Testing

@Suite struct FileCredentialStoreTests {
    @Test func `credentials are kept in a file that only its owner can read`() throws {
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

    @Test func `a file that others may read is rejected`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        try store.save(Credentials(token: "a"))
        chmod(store.path, 0o640)
        #expect(throws: CredentialStoreError.self) { try store.load() }
    }

    @Test func `invalid credentials and unusable paths are errors`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        let file = open(store.path, O_WRONLY | O_CREAT, 0o600)
        #expect(write(file, "{}", 2) == 2)
        close(file)
        #expect(throws: CredentialStoreError.self) { try store.load() }
        let nowhere = FileCredentialStore(path: folder.file("a/b"))
        #expect(throws: CredentialStoreError.self) { try nowhere.save(Credentials(token: "a")) }
    }

    @Test func `credentials are not shown in descriptions`() {
        let credentials = Credentials(token: "secret", refreshToken: "secret")
        #expect(!"\(credentials)".contains("secret"))
        #expect(!String(reflecting: credentials).contains("secret"))
    }

    @Test func `anything but a regular file is rejected without blocking`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        #expect(mkfifo(store.path, 0o600) == 0)
        #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(unlink(store.path) == 0)
        #expect(symlink(folder.file("elsewhere"), store.path) == 0)
        #expect(throws: CredentialStoreError.self) { try store.load() }
        #expect(mkfifo("\(store.path).draft", 0o600) == 0)
        #expect(throws: CredentialStoreError.self) { try store.save(Credentials(token: "a")) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a file of another user is rejected`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        try store.save(Credentials(token: "a"))
        #expect(chown(store.path, 1, 1) == 0)
        #expect(throws: CredentialStoreError.self) { try store.load() }
    }

    @Test func `the draft of a crash is overwritten and removed`() throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        let file = open("\(store.path).draft", O_WRONLY | O_CREAT, 0o600)
        let rest = String(repeating: "x", count: 10_000)
        #expect(write(file, rest, rest.utf8.count) == rest.utf8.count)
        close(file)
        try store.save(Credentials(token: "a"))
        #expect(try store.load() == Credentials(token: "a"))
        #expect(access("\(store.path).draft", F_OK) != 0)
        close(open("\(store.path).draft", O_WRONLY | O_CREAT, 0o600))
        try store.remove()
        #expect(access("\(store.path).draft", F_OK) != 0)
        #expect(access(store.path, F_OK) != 0)
    }

    @Test func `concurrent saves leave one complete file`() async throws {
        let folder = try TemporaryFolder()
        let store = FileCredentialStore(path: folder.file("credentials"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<20 {
                        let token = String(repeating: "\(number)", count: 1 + number * 300)
                        do { try store.save(Credentials(token: token)) } catch {
                            Issue.record("\(error)")
                        }
                    }
                }
            }
        }
        let token = try #require(try store.load()).token
        #expect(Set(token).count == 1)
        #expect(access("\(store.path).draft", F_OK) != 0)
    }
}
