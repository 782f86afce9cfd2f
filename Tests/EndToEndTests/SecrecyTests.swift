import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// The parts of a server that other processes can see.
@Suite(.mayBlock) struct SecrecyTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    @Test func `a server leaves no core dump, and other processes of its user cannot inspect it`()
        throws
    {
        let user = OtherUser.isAvailable ? OtherUser.number : getuid()
        if OtherUser.isAvailable { try OtherUser.give(folder.path) }
        let served = try RunningServer(
            OtherUser.start(["serve", "--database", database, "--listen", "127.0.0.1:0"]))
        let process = served.program.processID
        let limits = try read("/proc/\(process)/limits").split(separator: "\n")
        let core = limits.first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        // Entries that belong to root are not accessible to the process's own user (proc(5)).
        var status = stat()
        #expect(stat("/proc/\(process)/environ", &status) == 0)
        #expect(user != 0 && status.st_uid == 0)
        #expect(served.stop() == 0)
    }

    /// Allowed targets of descriptors, besides sockets and kernel objects.
    private func surprises(_ process: Int32) -> [String] {
        let known = ["socket:", "pipe:", "anon_inode:", "/dev/null", "/dev/urandom"]
        let files = ["", "-wal", "-shm", ".lock"].map { database + $0 }
        return ProcessFigures.descriptors(process).filter { target in
            !known.contains { target.hasPrefix($0) } && !files.contains(target)
        }
    }

    private static func children(of process: Int32) -> [Int32] {
        ProcessFigures.entries("/proc/\(process)/task").flatMap { thread in
            let text = try? read("/proc/\(process)/task/\(thread)/children")
            return (text ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }

    @Test(.enabled(if: ProcessFigures.areOpen, "only root sees the descriptors of a server"))
    func `neither a successor nor a worker inherits the descriptor of a running backup`()
        async throws
    {
        let served = try RunningServer(database, ["--samples"])
        let body = #"{"title":"T","body":"\#(String(repeating: "words ", count: 100_000))"}"#
        for _ in 0..<20 { #expect(try served.send(.post, "/v1/articles", body).status == 201) }
        // The client reads nothing, and the copy is larger than the socket buffers.
        let reader = try RawConnection(.unix(database + ".control"))
        try reader.send(
            "POST /v1/admin/backups HTTP/1.1\r\nHost: control\r\nContent-Length: 0\r\n\r\n")
        let old = served.program.processID
        #expect(
            await eventually { self.surprises(old).contains { $0.hasSuffix("(deleted)") } })
        let new = try Program.start(
            ["serve", "--take-over", "--grace", "1", "--database", database],
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
        let next = try RunningServer(new)
        #expect(surprises(new.processID) == [])
        #expect(try next.send(.post, "/v1/articles", #"{"title":"T","body":"x"}"#).status == 201)
        let workers = Self.children(of: new.processID)
        #expect(!workers.isEmpty)
        for worker in workers { #expect(surprises(worker) == []) }
        #expect(next.stop() == 0)
    }

    @Test func `the next start removes the files of a killed backup`() throws {
        let served = try RunningServer(database)
        let file = try TemporaryFile(database)
        close(file.descriptor)
        #expect(served.stop() == 0)
        #expect(access(file.path, F_OK) == 0)
        #expect(try RunningServer(database).stop() == 0)
        #expect(access(file.path, F_OK) != 0)
    }
}
