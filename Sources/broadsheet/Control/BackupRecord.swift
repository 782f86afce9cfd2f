import Glibc
import Platform

/// When a database was last backed up: the time of an empty file beside it, `<database>.backed-up`,
/// which outlives servers.
enum BackupRecord {
    private static func path(beside database: String) -> String { database + ".backed-up" }

    /// Notes that a backup has succeeded now. The backup is as good without the note.
    static func note(_ database: String) {
        let database = Database.path(of: database)
        do throws(CommandFailure) {
            try write(beside: database)
        } catch { Console.printStatus("the time of the backup is not noted: \(error.message)\n") }
    }

    private static func write(beside database: String) throws(CommandFailure) {
        let path = path(beside: database)
        let file = try Files.makeTemporary(path, for: path)
        defer { close(file.descriptor) }
        do throws(SystemError) {
            try give(file.descriptor, beside: database)
            try file.replace(path)
        } catch {
            unlink(file.path)
            throw Files.failure("cannot write \(path)", .ioError, code: error.code)
        }
    }

    /// What root creates belongs to the owner of the database, or of its folder (`fchown(2)`).
    private static func give(_ file: Int32, beside database: String) throws(SystemError) {
        var status = stat()
        guard geteuid() == 0,
            lstat(database, &status) == 0
                || stat(FileSystem.folder(of: database), &status) == 0
        else { return }
        _ = try retrying("fchown") { fchown(file, status.st_uid, status.st_gid) }
    }

    /// How many seconds ago that was; `nil` if there was no backup.
    ///
    /// - Parameter database: the path of the file, or what takes its place.
    static func age(beside database: String) -> Double? {
        var status = stat()
        guard lstat(path(beside: database), &status) == 0 else { return nil }
        let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return max(0, Double(SystemClock.wallNanoseconds - time) / 1e9)
    }
}
