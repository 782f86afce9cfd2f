import HTTPServer
import Sockets

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

    /// Makes sure that the three streams are open. Otherwise the next file that is opened would be
    /// one of them, and would be written to. Writing to a stream that was closed fails.
    static func holdStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(stream, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes the text and a line's end to standard output; for a terminal, so that it shows the
    /// text and does not obey it.
    static func print(_ text: String) throws(CommandFailure) {
        let text = outputIsTerminal ? TerminalText.escaped(text) : text
        try write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Writes one line to standard error; that nobody reads it is no failure.
    /// - Parameter seconds: how long to wait for a reader; `nil`: for ever.
    static func complain(_ text: String, withinSeconds seconds: Double? = nil) {
        let text = text.replacing("\n", with: " ")
        let line = "broadsheet: \(errorIsTerminal ? TerminalText.escapedLine(text) : text)\n"
        if let seconds {
            let writer = LogWriter(descriptor: STDERR_FILENO, format: .text)
            _ = writer.write(line, withinSeconds: seconds)
        } else {
            try? write(Array(line.utf8), to: STDERR_FILENO)
        }
    }

    /// Writes text to standard error; that nobody reads it is no failure.
    static func tell(_ text: String) {
        draw(errorIsTerminal ? TerminalText.escaped(text) : text)
    }

    /// Writes text to standard error as it is: a progress bar.
    static func draw(_ text: String) {
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
            } else if errno == EAGAIN {
                // Somebody else made it non-blocking, for all who share it.
                var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&writable, 1, -1)
            } else if errno != EINTR {
                throw CommandFailure(.ioError, "cannot write: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// How many columns the terminal of standard output has (`TIOCGWINSZ`); 80 where it does not
    /// say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The first line of standard input; on a terminal asked for, and not shown while it is typed
    /// (`tcsetattr(3)`).
    static func readSecret(_ question: String) throws(CommandFailure) -> String {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw Files.failure("cannot read from the terminal", .ioError)
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tell(question)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            tell("\n")
        }
        return readLine() ?? ""
    }

    /// All of standard input, at most so many bytes.
    static func readInput(limitBytes: Int) throws(CommandFailure) -> [UInt8] {
        try Files.read(descriptor: STDIN_FILENO, "standard input", limitBytes: limitBytes)
    }
}
