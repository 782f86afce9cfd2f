import ArticleDatabase
import ArticleStore
import BroadsheetHTTPServer
import BroadsheetPlatform
import Glibc

/// The metrics of resources that run out: disks, certificates, and the use of the last backup.
enum OperationMetrics {
    static func write(
        of store: any SQLStore, _ certificates: Certificates?, in system: SystemEnvironment,
        to page: inout MetricsText
    ) {
        let free = "broadsheet_disk_free_bytes"
        page.family(
            free, .gauge, unit: "bytes",
            help: "Free space of the file systems that have the database and the log, as files.")
        // A database in PostgreSQL is on another machine's disk.
        if store.fileBytes != nil, let bytes = FileSystem.freeBytes(at: store.path) {
            page.sample(free, ["holds": "database"], bytes)
        }
        if isFile(STDERR_FILENO), let bytes = FileSystem.freeBytes(of: STDERR_FILENO) {
            page.sample(free, ["holds": "log"], bytes)
        }
        page.single(
            "broadsheet_backup_age_seconds", .gauge, unit: "seconds",
            help: "Time since the last successful backup by the command; +Inf if there was none.",
            BackupRecord.age(beside: store.path, in: system) ?? .infinity)
        let remaining = "broadsheet_tls_certificate_remaining_seconds"
        page.family(
            remaining, .gauge, unit: "seconds",
            help: "How long each certificate is still valid; negative once it has expired.")
        let seconds = certificates?.remainingSeconds ?? [:]
        for (path, seconds) in seconds.sorted(by: { $0.key < $1.key }) {
            page.sample(remaining, ["certificate": path], seconds)
        }
    }

    private static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
