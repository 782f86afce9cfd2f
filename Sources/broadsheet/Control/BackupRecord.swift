import BroadsheetPlatform
import Glibc

/// The time of the last backup of a database: that of an empty file beside it,
/// `<database>.backed-up`, which outlives servers.
enum BackupRecord {
    private static func path(beside database: String) -> String { database + ".backed-up" }

    /// Notes that a backup has succeeded now. The backup is as good without the note.
    static func note(_ database: String) {
        let database = Database.path(of: database)
        let path = path(beside: database)
        do throws(FileError) {
            let folder = try Folder(FileSystem.folder(of: path))
            let name = FileSystem.name(of: database)
            let owner = try folder.owner(of: name) ?? folder.owner
            let file = try folder.openOrCreate(FileSystem.name(of: path), for: owner)
            guard futimens(file.raw, nil) == 0 else { throw .last(path) }
        } catch { Console.printStatus("the time of the backup cannot be recorded: \(error)\n") }
    }

    /// Returns the seconds since the last backup; `nil` if there was none.
    ///
    /// - Parameter database: the path of the file, or the path used in place of one.
    static func age(beside database: String, in system: SystemEnvironment) -> Double? {
        var status = stat()
        guard lstat(path(beside: database), &status) == 0 else { return nil }
        let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return max(0, Double(system.wallNanoseconds() - time) / 1e9)
    }
}
