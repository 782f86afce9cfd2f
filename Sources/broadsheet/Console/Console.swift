import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// The command's standard streams.
enum Console {
    /// True if standard output is a terminal.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    /// True if standard error is a terminal.
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Makes sure that the three streams are open. Otherwise the next opened file would get one of
    /// their descriptors and be written to. Writing to a stream that was closed fails.
    static func holdStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(stream, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes the text and a line feed to standard output. For a terminal, control characters are
    /// escaped.
    static func print(_ text: String) throws(CommandFailure) {
        let text = outputIsTerminal ? TerminalText.escaped(text) : text
        try write(Array((text + "\n").utf8), to: STDOUT_FILENO)
    }

    /// A part of a line, which a terminal may emphasise.
    struct Span {
        let text: String
        let isEmphasised: Bool

        init(_ text: String, isEmphasised: Bool = false) {
            self.text = text
            self.isEmphasised = isEmphasised
        }
    }

    /// Writes one line to standard output. On a terminal, emphasised text is bold, unless
    /// `NO_COLOR` is set (https://no-color.org).
    static func print(_ spans: [Span]) throws(CommandFailure) {
        guard outputIsTerminal, Environment.value("NO_COLOR") == nil else {
            return try print(spans.map(\.text).joined())
        }
        let line = spans.map { span in
            let text = TerminalText.escapedLine(span.text)
            return span.isEmphasised ? "\u{1B}[1m\(text)\u{1B}[22m" : text
        }
        try write(Array((line.joined() + "\n").utf8), to: STDOUT_FILENO)
    }

    /// Writes one line to standard error; a failure to write is ignored.
    /// - Parameter seconds: the maximum wait for a reader; `nil` waits indefinitely.
    static func printError(_ text: String, withinSeconds seconds: Double? = nil) {
        let text = text.replacing("\n", with: " ")
        let line = "broadsheet: \(errorIsTerminal ? TerminalText.escapedLine(text) : text)\n"
        if let seconds {
            let writer = LogWriter(descriptor: STDERR_FILENO, format: .text)
            _ = writer.write(line, withinSeconds: seconds)
        } else {
            try? write(Array(line.utf8), to: STDERR_FILENO)
        }
    }

    /// Writes text to standard error; a failure to write is ignored.
    static func printStatus(_ text: String) {
        draw(errorIsTerminal ? TerminalText.escaped(text) : text)
    }

    /// Writes text to standard error unescaped, for a progress bar.
    static func draw(_ text: String) {
        try? write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Writes all bytes to the descriptor (`write(2)`).
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(CommandFailure) {
        do throws(SystemError) {
            try FileSystem.write(bytes, to: descriptor)
        } catch { throw CommandFailure(.ioError, "cannot write: \(error.reason)") }
    }

    /// The width of the terminal of standard output in columns (`TIOCGWINSZ`); 80 if unknown.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// True if standard input is a terminal.
    static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// The next line of standard input. A terminal shows a prompt and no echo (`tcsetattr(3)`).
    static func readSecret(_ prompt: String) throws(CommandFailure) -> String {
        guard inputIsTerminal else { return readLine() ?? "" }
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else {
            throw Files.failure("cannot read from the terminal", .ioError)
        }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // Input after the prompt appears is neither shown nor discarded.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        printStatus(prompt)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            printStatus("\n")
        }
        return readLine() ?? ""
    }

    /// A new password: typed twice at a terminal, otherwise the next line of standard input.
    static func readNewPassword(of name: String) throws(CommandFailure) -> String {
        let password = try readSecret("New password of \(name): ")
        guard !password.isEmpty else {
            throw CommandFailure(.usage, "standard input contains no password")
        }
        if inputIsTerminal, try readSecret("Repeat the password: ") != password {
            throw CommandFailure(.dataError, "the two passwords differ; nothing was changed")
        }
        return password
    }

    /// All of standard input, up to a limit.
    static func readInput(limitBytes: Int) throws(CommandFailure) -> [UInt8] {
        try Files.read(descriptor: STDIN_FILENO, "standard input", limitBytes: limitBytes)
    }
}
