import ArticleAPI
import BroadsheetHTTP
import CBroadsheetLinux
import Glibc

/// Checks the disk and the clock of the machine.
struct MachineCheck {
    let database: String
    /// True if the database is on a server, whose disk cannot be seen.
    let isOnServer: Bool
    /// Seconds since 1970.
    let now: Int64

    /// The maximum size of the write-ahead log, and a reserve.
    private static let minimumFreeBytes = 128 << 20

    func run(_ findings: inout Diagnostics) {
        if !isOnServer { disk(&findings) }
        clock(&findings)
    }

    // MARK: Disk

    private func disk(_ findings: inout Diagnostics) {
        let subject = "disk"
        let folder = FileFacts.folder(of: database)
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else {
            let reason = String(cString: strerror(errno))
            return findings.failure(subject, "\(folder): \(reason)", do: "create that folder")
        }
        let free = Int(disk.f_bavail) * Int(disk.f_frsize)
        let size = FileFacts(database)?.bytes ?? 0
        if disk.f_flag & UInt(ST_RDONLY) != 0 {
            findings.failure(
                subject, "\(folder) is read-only",
                do: "mount it writable, or move the database")
        } else if free < Self.minimumFreeBytes {
            findings.failure(
                subject, "\(free >> 20) MiB are free: writes will soon be rejected (507)",
                do: "free at least \(Self.minimumFreeBytes >> 20) MiB")
        } else if disk.f_files > 0, disk.f_favail < 64 {
            findings.failure(
                subject, "no more files can be created",
                do: "remove files: the disk is out of inodes")
        } else if free < size + Self.minimumFreeBytes {
            findings.warning(
                subject, "\(free >> 20) MiB are free, but the database takes \(size >> 20) MiB",
                do: "make room for a second copy: a backup of a running server needs it")
        } else {
            findings.ok(subject, "\(free >> 20) MiB are free; the database takes \(size >> 20) MiB")
        }
    }

    // MARK: Clock

    private func clock(_ findings: inout Diagnostics) {
        let subject = "clock"
        let shown = HTTPDate.text(now)
        // The clock cannot be before the build; one day allows for a build in another time zone.
        if let program = FileFacts("/proc/self/exe"), now + 86_400 < program.writtenSeconds {
            return findings.failure(
                subject, "it says \(shown), which is before this program was built",
                do: "set the clock: timedatectl set-ntp true")
        }
        if let file = FileFacts(database), now + 60 < file.writtenSeconds {
            return findings.failure(
                subject, "it says \(shown), which is before the database was written",
                do: "set the clock: timedatectl set-ntp true; new edits would predate earlier ones")
        }
        switch broadsheet_clock_is_synchronised() {
        case 1: findings.ok(subject, "synchronized; it says \(shown)")
        case 0:
            findings.warning(
                subject, "not synchronized; it says \(shown)",
                do: "run chrony or systemd-timesyncd")
        default:
            findings.ok(
                subject, "it says \(shown); the kernel does not report whether it is synchronized")
        }
    }
}
