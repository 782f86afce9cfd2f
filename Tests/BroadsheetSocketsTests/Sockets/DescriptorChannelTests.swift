import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import BroadsheetSockets

@Suite struct DescriptorChannelTests {
    private func pair() throws -> (DescriptorChannel, DescriptorChannel) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (
            try DescriptorChannel(Descriptor(ends[0]), timeoutSeconds: Patience.seconds),
            try DescriptorChannel(Descriptor(ends[1]), timeoutSeconds: Patience.seconds)
        )
    }

    @Test func `lines and descriptors arrive in order`() throws {
        let (left, right) = try pair()
        let files = try (0..<3).map { number in
            let file = unnamedFile(number)
            try #require(file >= 0)
            return file
        }
        try left.send("first")
        for (number, file) in files.enumerated() { try left.send("file \(number)", with: file) }
        try left.send("last")
        for file in files { close(file) }
        #expect(try right.receiveLine() == "first")
        for number in 0..<3 {
            #expect(try right.receiveLine() == "file \(number)")
            let file = right.takeDescriptor()?.release() ?? -1
            defer { close(file) }
            var byte: UInt8 = 0
            #expect(pread(file, &byte, 1, 0) == 1 && byte == UInt8(number))
            #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try right.receiveLine() == "last")
        let none = right.takeDescriptor()?.release()
        #expect(none == nil)
    }

    /// An unnamed file with one byte.
    private func unnamedFile(_ number: Int) -> Int32 {
        var path = Array("/tmp/broadsheet-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        unlink(path)
        var byte = UInt8(number)
        return pwrite(file, &byte, 1, 0) == 1 ? file : -1
    }

    @Test func `the end of the stream is reported, and an endless line is rejected`() throws {
        var (left, right): (DescriptorChannel?, DescriptorChannel) = try pair()
        try left?.send(String(repeating: "x", count: 20_000))
        #expect(throws: SystemError("recvmsg", code: EMSGSIZE)) {
            while try right.receiveLine() != nil {}
        }
        (left, right) = try pair()
        try left?.send("half")
        left = nil
        #expect(try right.receiveLine() == "half")
        #expect(try right.receiveLine() == nil)
        #expect(throws: SystemError.self) { try right.send("nobody is there") }
    }

    @Test func `only a listening socket is adopted`() throws {
        let path = "/tmp/broadsheet-\(getpid())-\(UInt64.random(in: 0...(.max))).sock"
        let first = try ListeningSocket(.unix(path))
        let second = try ListeningSocket(adopting: Descriptor(dup(first.raw)))
        #expect(second.address == .unix(path))
        second.close()
        #expect(access(path, F_OK) == 0)
        first.close()
        #expect(access(path, F_OK) != 0)
        #expect(throws: SystemError.self) {
            try ListeningSocket(adopting: Descriptor(open("/dev/null", O_RDONLY)))
        }
    }
}
