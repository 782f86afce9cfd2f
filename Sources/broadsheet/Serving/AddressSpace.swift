import FoundationEssentials
import Glibc

/// The limit of the process's address space (`ulimit -v`).
enum AddressSpace {
    /// The address space that threads and their allocators reserve: two cores took 540 MiB under
    /// load, of which each further one adds about 90.
    private static let baseMegabytes = 768
    private static let megabytesPerCore = 128

    /// A sentence if the limit is too low to serve. Dispatch waits without end for a thread that
    /// cannot be created; then not even SIGTERM is noticed, and no line says why.
    static func shortage(
        cores: Int = ProcessInfo.processInfo.activeProcessorCount
    ) -> String? {
        var limit = rlimit()
        let needed = baseMegabytes + megabytesPerCore * cores
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(needed) << 20
        else { return nil }
        return "the address space is limited to \(limit.rlim_cur >> 20) MiB (ulimit -v, LimitAS=), "
            + "but serve needs \(needed) MiB, most of which it only reserves; limit what it uses "
            + "instead (MemoryMax=)"
    }
}
