import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs the user's editor (`VISUAL`, `EDITOR` or vi) on a private file.
enum Editor {
    /// Lets the user edit the text, and returns the file's content when the editor exits.
    static func edit(_ text: [UInt8]) throws(CommandFailure) -> [UInt8] {
        let base = Environment.value("TMPDIR") ?? "/tmp"
        let file = try Files.makeTemporary(
            "\(base)/broadsheet", ending: ".md", for: "a file in \(base)")
        defer {
            close(file.descriptor)
            unlink(file.path)
        }
        try Console.write(text, to: file.descriptor)
        try run(Environment.value("VISUAL") ?? Environment.value("EDITOR") ?? "vi", file.path)
        return try Files.read(file.path)
    }

    /// The variable may contain arguments (`code --wait`), which the shell splits; the path is
    /// passed separately.
    private static func run(_ editor: String, _ path: String) throws(CommandFailure) {
        let process: ChildProcess
        do throws(SystemError) {
            process = try ChildProcess(
                "/bin/sh", ["sh", "-c", "\(editor) \"$@\"", editor, path],
                environment: Environment.all { _ in true })
        } catch { throw CommandFailure(.systemError, "\(editor): \(error)") }
        guard process.wait() == 0 else {
            throw CommandFailure(.unavailable, "\(editor) failed; nothing was changed")
        }
    }
}
