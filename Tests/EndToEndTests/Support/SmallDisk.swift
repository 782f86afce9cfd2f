import BroadsheetTestSupport
import Glibc
import Testing

/// A server whose database is on a disk of 4 MiB, part of which can be set free (as root).
struct SmallDisk {
    let served: RunningServer
    /// The folder on the disk, as other processes see it: it disappears with the server.
    let folder: String

    /// - Parameters:
    ///   - folder: its database `a.db` is copied to the disk.
    ///   - options: of the server, separated by spaces.
    init(_ folder: TemporaryFolder, _ options: String = "") throws {
        let program = try Shell.startWithMounts(
            """
            mkdir "$folder/disk"
            mount -t tmpfs -o size=4m tmpfs "$folder/disk"
            cp "$folder/a.db" "$folder/disk"
            dd if=/dev/zero of="$folder/disk/filler" bs=64k count=24 status=none
            exec "$binary" serve --database "$folder/disk/a.db" --listen 127.0.0.1:0 \(options)
            """, folder: folder.path)
        served = try RunningServer(program)
        self.folder = "/proc/\(program.processID)/root\(folder.path)/disk"
    }

    /// Sets 1.5 MiB free.
    func makeRoom() { #expect(unlink("\(folder)/filler") == 0) }
}
