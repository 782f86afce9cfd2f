import BroadsheetTestSupport
import Glibc

/// A program on a terminal of 24 lines by 80 columns: a test types, and reads the screen.
final class PseudoTerminal {
    let processID: pid_t
    private let master: Int32
    private var hasEnded = false
    /// The whole output so far, including control sequences.
    private(set) var shown: [UInt8] = []

    init(_ path: String, _ arguments: [String]) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)) unlock the terminal, and return its number.
        var (lock, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &lock) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else { throw TestFailure("no pseudo-terminal") }
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw TestFailure("no size") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, path, &actions, nil, words, environ)
        guard code == 0 else { throw TestFailure("posix_spawn: error \(code)") }
        processID = process
    }

    deinit {
        if !hasEnded {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
        close(master)
    }

    func type(_ text: String) throws {
        var bytes = Array(text.utf8)
        guard write(master, &bytes, bytes.count) == bytes.count else {
            throw TestFailure("cannot write to the terminal")
        }
    }

    /// Reads until the screen contains all texts, and returns it.
    @discardableResult
    func screen(with texts: String...) throws -> String {
        let end = ContinuousClock.now + .seconds(Patience.seconds)
        while true {
            let screen = lastScreen
            if texts.allSatisfy({ screen.contains($0) }) { return screen }
            guard ContinuousClock.now < end, read() else {
                throw TestFailure("\(texts) are not on the screen:\n\(screen)")
            }
        }
    }

    /// The exit status.
    func wait() -> Int32 {
        while read() {}
        var status: Int32 = 0
        waitpid(processID, &status, 0)
        hasEnded = true
        return status
    }

    /// Returns true if there was output; there is none after the program has exited.
    private func read() -> Bool {
        var poll = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Patience.milliseconds) == 1 else { return false }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = Glibc.read(master, &bytes, bytes.count)
        guard count > 0 else { return false }
        shown += bytes.prefix(count)
        return true
    }

    /// The lines of the screen that are not empty, as the output has left them.
    private var lastScreen: String {
        var lines: [Int: String] = [:]
        var line = 1
        var rest = String(decoding: shown, as: UTF8.self)[...]
        // Invariant: `lines` is what the output before `rest` shows.
        while let character = rest.first {
            if character == "\u{1B}",
                let order = rest.prefixMatch(of: #/\u{1B}\[([0-9;?]*)([a-zA-Z])/#)
            {
                rest = rest[order.range.upperBound...]
                switch order.2 {
                case "H": line = Int(order.1.prefix { $0 != ";" }) ?? 1
                case "J": lines = [:]
                case "K": lines[line] = nil
                default: break
                }
                continue
            }
            rest = rest.dropFirst()
            if character.isNewline { line += 1 } else { lines[line, default: ""].append(character) }
        }
        return lines.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\r\n")
    }
}
