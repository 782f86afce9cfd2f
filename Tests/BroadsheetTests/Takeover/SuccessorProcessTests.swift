import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// New processes that never begin to take over.
@Suite struct SuccessorProcessTests {
    private let folder: TemporaryFolder
    private let program: String

    init() throws {
        folder = try TemporaryFolder()
        program = folder.file("program")
    }

    private var log: ServerLog { ServerLog(isJSON: false, system: .real) { _ in } }

    /// Installs a script in place of the program.
    private func install(_ script: String) throws {
        let text = "#!/bin/sh\n\(script)\n"
        let file = open(program, O_WRONLY | O_CREAT | O_TRUNC, 0o700)
        try #require(file >= 0 && write(file, text, text.utf8.count) == text.utf8.count)
        close(file)
    }

    /// The ends of a connection of `broadsheet upgrade`.
    private func client() throws -> (command: DescriptorChannel, server: DescriptorChannel) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (
            try DescriptorChannel(Descriptor(ends[0]), timeoutSeconds: Patience.seconds),
            try DescriptorChannel(Descriptor(ends[1]), timeoutSeconds: Patience.seconds)
        )
    }

    private func outcome(_ channel: DescriptorChannel) throws -> String {
        guard case .failed(let reason) = try channel.receiveLine().flatMap({ UpgradeMessage($0) })
        else { throw TestFailure("it did not fail") }
        return reason
    }

    /// A program that hangs, and says so together with its child's number.
    private static let hanging = "sleep 3600 & echo $! > \"$0.child\"; wait"

    private func child() async throws -> Int32 {
        let path = program + ".child"
        func number() -> Int32? {
            let text = (try? Files.read(path, limitBytes: 100)) ?? []
            guard text.last == 10 else { return nil }
            return Int32(String(decoding: text.dropLast(), as: UTF8.self))
        }
        #expect(await eventually { number() != nil })
        return try #require(number())
    }

    /// Returns true if a process that is not a child of this one has ended.
    private func hasEnded(_ process: Int32) -> Bool {
        let stat = (try? Files.read("/proc/\(process)/stat", limitBytes: 4_096)) ?? []
        return stat.isEmpty || String(decoding: stat, as: UTF8.self).contains(") Z ")
    }

    @Test func `a program that says nothing is ended with its children`() async throws {
        try install(Self.hanging)
        let processes = SuccessorProcess(log, program: program, silenceSeconds: 1)
        let (command, server) = try client()
        processes.start(for: server)
        let child = try await child()
        #expect(try outcome(command).contains("said nothing for 1 s and was ended"))
        #expect(await eventually { hasEnded(child) })
    }

    @Test func `a program that speaks, and does not become ready, is ended`() async throws {
        try install("echo $$ > \"$0.child\"; exec sleep 3600")
        let processes = SuccessorProcess(
            log, program: program, silenceSeconds: 3_600, readySeconds: 0.1)
        let (command, server) = try client()
        processes.start(for: server)
        processes.spoke(try await child())
        #expect(try outcome(command).contains("was not ready for 0 s"))
    }

    @Test func `a second upgrade has its own result`() async throws {
        try install(Self.hanging)
        let processes = SuccessorProcess(log, program: program, silenceSeconds: 3_600)
        let (first, second) = (try client(), try client())
        processes.start(for: first.server)
        let child = try await child()
        try install("exit 3")
        processes.start(for: second.server)
        kill(-getpgid(child), SIGKILL)
        #expect(try outcome(first.command).contains("by signal 9"))
        #expect(try outcome(second.command).contains("with status 3"))
    }

    @Test func `stopping ends a program that hangs, and starts no other`() async throws {
        try install(Self.hanging)
        let processes = SuccessorProcess(log, program: program, silenceSeconds: 3_600)
        let (first, second, third) = (try client(), try client(), try client())
        processes.start(for: first.server)
        let child = try await child()
        processes.start(for: second.server)
        processes.stop()
        #expect(try outcome(first.command).contains("by signal 9"))
        #expect(await eventually { hasEnded(child) })
        #expect(try !outcome(second.command).isEmpty)
        processes.start(for: third.server)
        #expect(try outcome(third.command).contains("cannot upgrade now"))
    }
}
