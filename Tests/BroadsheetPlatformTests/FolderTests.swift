import BroadsheetTestSupport
import Glibc
import Testing

@testable import BroadsheetPlatform

/// Files that are opened relative to their folder, without following links.
@Suite struct FolderTests {
    private static let other: uid_t = 65_534
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    private func path(_ name: String) -> String { temporary.file(name) }

    private func make(_ name: String, owner: uid_t = geteuid()) throws {
        let file = creat(path(name), 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try #require(owner == geteuid() || fchown(file, owner, owner) == 0)
    }

    private func owner(_ name: String) -> uid_t? {
        var status = stat()
        return lstat(path(name), &status) == 0 ? status.st_uid : nil
    }

    private func error(_ body: () throws(FileError) -> Void) -> String? {
        do throws(FileError) { try body() } catch { return error.reason }
        return nil
    }

    /// Something that is not a file, by its name and what is said about it.
    private func makeOthers() throws -> [(name: String, reason: String)] {
        try make("target")
        try #require(symlink(path("target"), path("link")) == 0)
        try #require(symlink(path("nothing"), path("dangling")) == 0)
        try #require(mkfifo(path("fifo"), 0o600) == 0)
        try #require(mkdir(path("folder"), 0o700) == 0)
        try #require(mknod(path("socket"), S_IFSOCK | 0o600, 0) == 0)
        return [
            ("link", "it is a symbolic link"), ("dangling", "it is a symbolic link"),
            ("fifo", "it is a FIFO, not a file"), ("folder", "it is a folder, not a file"),
            ("socket", "it is a socket, not a file"),
        ]
    }

    @Test func `links and whatever is not a file are rejected at once`() throws {
        let folder = try Folder(temporary.path)
        for (name, reason) in try makeOthers() {
            let errors = [
                error { () throws(FileError) in try folder.owner(of: name) },
                error { () throws(FileError) in _ = try folder.open(name) },
                error { () throws(FileError) in
                    _ = try folder.openOrCreate(name, for: folder.owner)
                },
            ]
            #expect(errors == [reason, reason, reason], "\(name)")
        }
        #expect(owner("nothing") == nil)
        let device = try Folder("/dev")
        #expect(
            error { () throws(FileError) in _ = try device.open("null") }
                == "it is a device, not a file")
    }

    @Test func `a folder is not reached through a link`() throws {
        try #require(mkdir(path("folder"), 0o700) == 0)
        try #require(symlink(path("folder"), path("link")) == 0)
        #expect(error { () throws(FileError) in _ = try Folder(path("folder")) } == nil)
        for name in ["link", "link/.", "folder/../link"] {
            #expect(error { () throws(FileError) in _ = try Folder(path(name)) } != nil, "\(name)")
        }
    }

    @Test func `a file is created once, readable only by its owner`() throws {
        let folder = try Folder(temporary.path)
        for _ in 0..<2 {
            let file = try folder.openOrCreate("a.lock", for: folder.owner)
            let facts = try FileOwner(ofOpen: file.raw, "a.lock")
            #expect(facts.mode == 0o600)
        }
        let isNew = try folder.create("a.lock", for: folder.owner) != nil
        #expect(!isNew)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `root gives away what it creates, and nothing else`() throws {
        try #require(chown(temporary.path, Self.other, Self.other) == 0)
        let folder = try Folder(temporary.path)
        try make("a.lock")
        for name in ["a.lock", "b.lock"] {
            _ = try folder.openOrCreate(name, for: folder.owner)
        }
        #expect(owner("a.lock") == 0)
        #expect(owner("b.lock") == Self.other)
        // Another name of a file elsewhere.
        try #require(link(path("a.lock"), path("c.lock")) == 0)
        let reason = error { () throws(FileError) in
            _ = try folder.openOrCreate("c.lock", for: folder.owner)
        }
        #expect(reason?.contains("hard links") == true)
        #expect(owner("c.lock") == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root has the rights of others"))
    func `root uses and creates nothing that the folder's owner could not`() throws {
        try #require(chown(temporary.path, Self.other, Self.other) == 0)
        try make("secret")
        let folder = try Folder(temporary.path)
        let (readable, made) = folder.withRightsOfOwner {
            (open(path("secret"), O_RDONLY | O_CLOEXEC), creat(path("made"), 0o600))
        }
        #expect(readable == -1 && made >= 0)
        close(made)
        #expect(owner("made") == Self.other)
        // Afterwards, it is root again.
        try make("later")
        #expect(owner("later") == 0)
        let again = open(path("secret"), O_RDONLY | O_CLOEXEC)
        #expect(again >= 0)
        close(again)
    }

    @Test func `paths are resolved as by the system`() throws {
        try #require(mkdir(path("folder"), 0o700) == 0)
        try make("folder/file")
        try #require(symlink("folder", path("relative")) == 0)
        try #require(symlink(path("relative/file"), path("absolute")) == 0)
        try #require(symlink("circle", path("circle")) == 0)
        for name in [
            "folder/file", "relative/file", "absolute", "relative/../folder/./file", "relative//",
            "folder/..",
        ] {
            let expected = try #require(realpath(path(name), nil))
            defer { free(expected) }
            #expect(try ResolvedPath(path(name)).path == String(cString: expected), "\(name)")
        }
        #expect(try ResolvedPath("/..").path == "/")
        for (name, code) in [("circle", ELOOP), ("none", ENOENT), ("folder/file/x", ENOTDIR)] {
            #expect {
                try ResolvedPath(path(name))
            } throws: { error in (error as? FileError)?.code == code }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root could be misled"))
    func `root follows links of root and of the file's owner only`() throws {
        for (name, linkOwner, fileOwner, isAllowed) in [
            ("own", 0, 0, true), ("shared", 0, Self.other, true),
            ("theirs", Self.other, Self.other, true), ("trap", Self.other, 0, false),
        ] {
            try make(name, owner: fileOwner)
            try #require(symlink(path(name), path("\(name).link")) == 0)
            try #require(lchown(path("\(name).link"), linkOwner, linkOwner) == 0)
            let resolved = try ResolvedPath(path("\(name).link"))
            let owner = try #require(try Folder(temporary.path).owner(of: name))
            let reason = error { () throws(FileError) in try resolved.checkLinks(to: owner) }
            #expect((reason == nil) == isAllowed, "\(name)")
        }
    }
}
