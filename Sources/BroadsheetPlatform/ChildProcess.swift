import CBroadsheetLinux
import Glibc

/// A child process with default signal handling: no signal is blocked or ignored, whatever this
/// process does with its own.
public struct ChildProcess: Sendable {
    public let id: Int32

    /// Starts the program at the path (`posix_spawn(3)`).
    ///
    /// - Parameters:
    ///   - arguments: The first is the program's own name.
    ///   - environment: Entries of the form `NAME=value`.
    ///   - input: Its standard input; without one it shares this process's.
    ///   - inOwnGroup: True if it is shielded from interrupts typed at the terminal.
    public init(
        _ path: String, _ arguments: [String], environment: [String], input: Int32? = nil,
        inOwnGroup: Bool = false
    ) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let group = inOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = arguments.map { strdup($0) } + [nil]
        let settings = environment.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, words, settings)
        guard code == 0 else { throw SystemError("posix_spawn \(path)", code: code) }
        self.id = id
    }

    /// Waits for its end (`waitpid(2)`) and returns its status as defined by `wait(2)`.
    public func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        return status
    }
}

/// Another process, which is not confused with a later one with the same number (`pidfd_open(2)`).
public struct ProcessHandle: ~Copyable, Sendable {
    public let id: Int32
    private let descriptor: Descriptor

    /// - Throws: `ESRCH` if no such process exists.
    public init(_ id: Int32) throws(SystemError) {
        self.id = id
        descriptor = Descriptor(try retrying("pidfd_open") { broadsheet_open_process(id) })
    }

    /// Kills it (`SIGKILL`) unless it has already ended.
    public func kill() { _ = broadsheet_signal_process(descriptor.raw, SIGKILL) }

    /// Waits for its end and returns whether it ended in time. Its locks are released then.
    public func waitForEnd(milliseconds: Int32) -> Bool {
        var ended = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&ended, 1, milliseconds) == 1
    }
}

/// Protects a process's memory and the keys in it.
public enum CoreDumps {
    /// Disables core dumps of this process (`setrlimit(2)`, `RLIMIT_CORE`) and denies other
    /// processes of its user access to its memory and environment (`prctl(2)`, `PR_SET_DUMPABLE`);
    /// root keeps access. A program that it executes is dumpable again until it calls this itself.
    public static func forbid() throws(SystemError) {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try retrying("setrlimit") {
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        }
        _ = try retrying("prctl") { broadsheet_set_undumpable() }
    }
}
