import CLinux
import Glibc

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
