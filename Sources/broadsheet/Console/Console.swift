import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command's standard streams.
enum Console {
    /// Whether a person looks at standard output.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// Whether a person looks at standard error.
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes the text and a line's end to standard output.
    static func print(_ text: String) throws(CommandFailure) {
        try write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Writes one line to standard error; that nobody reads it is no failure.
    static func complain(_ text: String) {
        let line = text.replacing("\n", with: " ")
        try? write(Array(("broadsheet: " + line + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes text to standard error as it is: a progress bar, a greeting.
    static func tell(_ text: String) {
        try? write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes to the descriptor (`write(2)`), again after signals and short writes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(CommandFailure) {
        var written = 0
        // Invariant: the first `written` bytes are out.
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                throw CommandFailure(.ioError, "cannot write: \(String(cString: strerror(errno)))")
            }
        }
    }
}
