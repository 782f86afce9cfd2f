#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The user's editor on a file that nobody else reads: `VISUAL`, `EDITOR`, or vi.
enum Editor {
    /// Lets the user edit the text; gives what stands in the file when the editor ends.
    static func edit(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
        let base = Environment.value("TMPDIR") ?? "/tmp"
        var template = Array("\(base)/broadsheet-XXXXXX.md".utf8CString)
        let descriptor = mkstemps(&template, 3)
        guard descriptor >= 0 else {
            throw Files.failure("cannot make a file in \(base)", .cannotCreate)
        }
        let path = template.withUnsafeBufferPointer { name in
            name.baseAddress.map { String(cString: $0) } ?? base
        }
        defer {
            close(descriptor)
            unlink(path)
        }
        try Console.write(text, to: descriptor)
        try run(Environment.value("VISUAL") ?? Environment.value("EDITOR") ?? "vi", path)
        return try Files.read(path)
    }

    /// The variable may hold words of its own (`code --wait`): the shell takes it apart, and gets
    /// the path beside it.
    private static func run(_ editor: String, _ path: String) throws(CommandFailure) {
        var process: pid_t = 0
        let command: [String] = ["sh", "-c", "\(editor) \"$@\"", editor, path]
        let words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let code = posix_spawn(&process, "/bin/sh", nil, nil, words, environ)
        guard code == 0 else {
            throw CommandFailure(.systemError, "\(editor): \(String(cString: strerror(code)))")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else {
            throw CommandFailure(.unavailable, "\(editor) failed: nothing was changed")
        }
    }
}
