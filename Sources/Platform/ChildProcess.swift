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
    ///   - inOwnGroup: Whether it is shielded from interrupts typed at the terminal.
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
