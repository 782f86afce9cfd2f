import ArticleAPI
import CLinux
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The machine under it: disk and clock.
struct MachineCheck {
    let database: String
    /// Seconds since 1970.
    let now: Int64

    /// What the write-ahead log may take at most, and some.
    private static let leastBytes = 128 << 20

    func run(_ findings: inout Diagnostics) {
        disk(&findings)
        clock(&findings)
    }

    // MARK: Disk

    private func disk(_ findings: inout Diagnostics) {
        let subject = "disk"
        let folder = FileFacts.folder(of: database)
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else {
            let reason = String(cString: strerror(errno))
            return findings.failure(subject, "\(folder): \(reason)", do: "make that folder")
        }
        let free = Int(disk.f_bavail) * Int(disk.f_frsize)
        let size = FileFacts(database)?.bytes ?? 0
        if disk.f_flag & UInt(ST_RDONLY) != 0 {
            findings.failure(
                subject, "\(folder) is read-only", do: "mount it for writing, or move the database")
        } else if free < Self.leastBytes {
            findings.failure(
                subject, "\(free >> 20) MiB are free: writes are about to be refused (507)",
                do: "make room: \(Self.leastBytes >> 20) MiB at least")
        } else if disk.f_files > 0, disk.f_favail < 64 {
            findings.failure(
                subject, "no more files can be made", do: "remove some of the disk's many files")
        } else if free < size + Self.leastBytes {
            findings.warning(
                subject, "\(free >> 20) MiB are free, the database has \(size >> 20) MiB",
                do: "make room for it once more: a backup while serving needs that")
        } else {
            findings.ok(subject, "\(free >> 20) MiB are free beside \(size >> 20) MiB of database")
        }
    }

    // MARK: Clock

    private func clock(_ findings: inout Diagnostics) {
        let subject = "clock"
        let shown = HTTPDate.text(now)
        // Neither was there before it was made; a day is for other zones' clocks in a build.
        if let program = FileFacts("/proc/self/exe"), now < program.writtenSeconds - 86_400 {
            return findings.failure(
                subject, "it says \(shown), which is before this program was made",
                do: "set it: timedatectl set-ntp true")
        }
        if let file = FileFacts(database), now < file.writtenSeconds - 60 {
            return findings.failure(
                subject, "it says \(shown), which is before the database was written",
                do: "set it: timedatectl set-ntp true; new edits would be older than others")
        }
        switch broadsheet_clock_is_synchronised() {
        case 1: findings.ok(subject, "it is synchronised, and says \(shown)")
        case 0:
            findings.warning(
                subject, "nothing keeps it right; it says \(shown)",
                do: "run chrony or systemd-timesyncd")
        default: findings.ok(subject, "it says \(shown); the kernel does not tell how right it is")
        }
    }
}
