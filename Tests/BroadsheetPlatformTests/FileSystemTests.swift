import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

/// Whole files, paths as text, and writes that must be complete.
@Suite struct FileSystemTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ("a.db", ".", "a.db"), ("/a.db", "/", "a.db"), ("b/a.db", "b", "a.db"),
        ("/b/c/a.db", "/b/c", "a.db"), ("b/", "b", ""), ("", ".", ""),
    ])
    func `a path is a folder and a name`(path: String, folder: String, name: String) {
        #expect(FileSystem.folder(of: path) == folder)
        #expect(FileSystem.name(of: path) == name)
    }

    @Test func `a whole file is read, up to a limit`() throws {
        let file = try TemporaryFile(folder.file("a"))
        defer { close(file.descriptor) }
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try FileSystem.write(bytes, to: file.descriptor)
        lseek(file.descriptor, 0, SEEK_SET)
        #expect(try FileSystem.bytes(of: file.descriptor, limitBytes: 200_000) == bytes)
        lseek(file.descriptor, 0, SEEK_SET)
        #expect(try FileSystem.bytes(of: file.descriptor, limitBytes: 199_999) == nil)
    }

    @Test func `a non-blocking pipe receives all bytes`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        let (output, input) = (ends[0], ends[1])
        defer { close(output) }
        // More than the pipe holds.
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let received = Lock(0)
        let reading = DispatchWorkItem {
            var (count, chunk) = (0, [UInt8](repeating: 0, count: 64 << 10))
            while count < bytes.count {
                var readable = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
                poll(&readable, 1, -1)
                count += max(0, read(output, &chunk, chunk.count))
            }
            received.withLock { $0 = count }
        }
        DispatchQueue.global().async(execute: reading)
        try FileSystem.write(bytes, to: input)
        reading.wait()
        close(input)
        #expect(received.withLock { $0 } == bytes.count)
    }

    @Test func `an error names the call`() throws {
        #expect(throws: SystemError("write", code: EBADF)) {
            try FileSystem.write([1], to: -1)
        }
        #expect(throws: SystemError("open", code: ENOENT)) {
            try FileSystem.flushFolder(of: folder.file("missing/a"))
        }
    }

    @Test func `a complete file replaces another one`() throws {
        let path = folder.file("a")
        for text in ["first", "second"] {
            let file = try TemporaryFile(path)
            defer { close(file.descriptor) }
            try FileSystem.write(Array(text.utf8), to: file.descriptor)
            try file.replace(path)
            #expect(access(file.path, F_OK) != 0)
            let copy = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(copy) }
            #expect(try FileSystem.bytes(of: copy, limitBytes: 100) == Array(text.utf8))
        }
    }
}
