import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// Files with a limited lifetime.
@Suite struct TemporaryFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func make(_ name: String, mode: mode_t = 0o600) throws -> String {
        let descriptor = open(folder.file(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(fchmod(descriptor, mode) == 0)
        return folder.file(name)
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test func `child processes do not inherit temporary files`() throws {
        let file = try TemporaryFile(folder.file("a.db"))
        defer { close(file.descriptor) }
        #expect(fcntl(file.descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(file.path.hasPrefix(folder.file("a.db.")) && isThere(file.path))
    }

    @Test func `only abandoned files are removed`() throws {
        let used = try TemporaryFile(folder.file("a.db"))
        let left = try TemporaryFile(folder.file("a.db"))
        // Like the kernel when a process is killed.
        close(left.descriptor)
        let parts = try ["-wal", "-shm", "-journal"].map {
            try make(String(left.path.dropFirst(folder.path.utf8.count + 1)) + $0)
        }
        let others = [
            used.path, try make("a.db.backup"), try make("a.db"), try make("a.db-wal"),
            try make("a.db.abcdef.broadsheet-partial", mode: 0o644),
            try make("a.db.abcdefg.broadsheet-partial"),
            try make("b.db.abcdef.broadsheet-partial"),
            folder.file("a.db.ghijkl.broadsheet-partial"),
        ]
        try #require(symlink(folder.file("a.db"), others[7]) == 0)
        TemporaryFile.removeAbandoned(folder.file("a.db"))
        #expect(([left.path] + parts).filter(isThere) == [])
        #expect(others.filter { !isThere($0) } == [])
        close(used.descriptor)
        TemporaryFile.removeAbandoned(folder.file("a.db"))
        #expect(!isThere(used.path))
    }
}
