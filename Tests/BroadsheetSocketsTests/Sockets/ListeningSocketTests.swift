import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@Suite struct ListeningSocketTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Leaves a stale socket file.
    private func leaveStale(_ path: String) throws {
        let socket = try ListeningSocket(.unix(path))
        socket.ownFile(false)
        socket.close()
    }

    private func canConnect(_ path: String) -> Bool {
        (try? DescriptorChannel.connect(to: path, timeoutSeconds: Patience.seconds)) != nil
    }

    @Test func `of servers that start concurrently on a stale socket one gets it`() throws {
        let path = folder.file("s.sock")
        for round in 0..<100 {
            try leaveStale(path)
            let opened = Lock<[ListeningSocket]>([])
            let rejected = Lock<[SystemError]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do throws(SystemError) {
                    let socket = try ListeningSocket(.unix(path))
                    opened.withLock { $0.append(socket) }
                } catch { rejected.withLock { $0.append(error) } }
            }
            #expect(opened.withLock { $0.count } == 1, "round \(round)")
            #expect(rejected.withLock { $0.allSatisfy(\.isAddressInUse) })
            #expect(canConnect(path))
            opened.withLock { $0 = [] }
        }
    }

    @Test func `closing keeps another server's file`() throws {
        let path = folder.file("s.sock")
        let first = try ListeningSocket(.unix(path))
        try #require(unlink(path) == 0)
        let second = try ListeningSocket(.unix(path))
        first.close()
        #expect(canConnect(path))
        second.close()
        #expect(access(path, F_OK) != 0)
    }

    /// Returns the result of `stat` for a file.
    private func file(_ path: String) throws -> (mode: mode_t, group: gid_t) {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return (status.st_mode & 0o777, status.st_gid)
    }

    @Test(arguments: [0o600, 0o660, 0o666, 0o777] as [UInt32])
    func `a socket has the mode that is asked for, whatever the umask is`(mode: UInt32) throws {
        let path = folder.file("s.sock")
        let socket = try ListeningSocket(.unix(path), access: SocketAccess(mode: mode))
        #expect(try file(path).mode == mode)
        try socket.allow(SocketAccess(mode: 0o640))
        #expect(try file(path).mode == 0o640)
        try socket.allow(SocketAccess())
        #expect(try file(path).mode == 0o640)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can choose any group"))
    func `a socket gets the group that is asked for`() throws {
        let path = folder.file("s.sock")
        let access = SocketAccess(mode: 0o660, group: 54_321)
        let socket = try ListeningSocket(.unix(path), access: access)
        #expect(try file(path) == (0o660, 54_321))
        socket.close()
        // So does a setgid folder.
        try #require(chown(folder.path, uid_t.max, 54_322) == 0)
        try #require(chmod(folder.path, 0o2700) == 0)
        let next = try ListeningSocket(
            .unix(path), access: SocketAccess(mode: 0o660, group: 54_322))
        #expect(try file(path) == (0o660, 54_322))
        withExtendedLifetime(next) {}
    }

    @Test func `the file that took the place of a socket is left alone`() throws {
        let (path, other) = (folder.file("s.sock"), folder.file("other"))
        let socket = try ListeningSocket(.unix(path))
        let next = try ListeningSocket(.unix(other), access: SocketAccess(mode: 0o600))
        try #require(unlink(path) == 0)
        try socket.allow(SocketAccess(mode: 0o777))
        try #require(symlink(other, path) == 0)
        try socket.allow(SocketAccess(mode: 0o777))
        try #require(unlink(path) == 0 && link(other, path) == 0)
        try socket.allow(SocketAccess(mode: 0o777))
        #expect(try file(other).mode == 0o600)
        withExtendedLifetime(next) {}
    }

    @Test func `a group is known by its name or number, a mode is octal`() throws {
        #expect(try SocketAccess(parsing: "mode=0660").mode == 0o660)
        #expect(try SocketAccess(parsing: "group=root&mode=666") == .init(mode: 0o666, group: 0))
        #expect(try SocketAccess(parsing: "group=54321").group == 54_321)
    }

    @Test(arguments: [
        ("mode=0888", SocketAccess.ParsingError.badMode("0888")),
        ("mode=1777", .badMode("1777")), ("mode=-1", .badMode("-1")),
        ("mode=", .badParameter("mode=")), ("group=no such", .unknownGroup("no such")),
        ("group=4294967295", .unknownGroup("4294967295")),
        ("mode=660&mode=660", .badParameter("mode=660")), ("", .badParameter("")),
        ("user=ada", .badParameter("user=ada")),
    ])
    func `other words are rejected`(text: String, reason: SocketAccess.ParsingError) {
        #expect(throws: reason) { try SocketAccess(parsing: text) }
    }
}
