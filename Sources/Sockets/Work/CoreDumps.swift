import CLinux
import Glibc

/// Keeps a process's memory, and the keys in it, from others.
public enum CoreDumps {
    /// From here on this process leaves no core dump (`setrlimit(2)`, `RLIMIT_CORE`), and its
    /// user's other processes read neither its memory nor its environment (`prctl(2)`,
    /// `PR_SET_DUMPABLE`); root does. A program that it runs is dumpable again until it calls
    /// this itself.
    public static func forbid() throws(SystemError) {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try retrying("setrlimit") {
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        }
        _ = try retrying("prctl") { broadsheet_set_undumpable() }
    }
}
