import Glibc

/// Checks who may read and write the files.
struct PermissionCheck {
    let database: String
    let isServed: Bool
    let certificates: [CertificateFiles.Paths]
    /// Files that only the operator may write, and whether they hold a secret.
    let files: [(path: String, isSecret: Bool)]

    private let subject = "permissions"

    func run(_ findings: inout Diagnostics) {
        for ending in ["", "-wal", "-shm", ".lock"] { checkReaders(database + ending, &findings) }
        let key = database + ".admin-key"
        if FileFacts(key) != nil {
            checkReaders(key, &findings)
            findings.warning(
                subject, "\(key) still contains the first admin key",
                do: "move it to your secret store")
        }
        for file in files {
            if file.isSecret { checkReaders(file.path, &findings) }
            checkWriters(file.path, &findings)
        }
        for pair in certificates { checkKey(pair.key, &findings) }
        checkLocation(&findings)
        if !findings.hasFault(subject) {
            findings.ok(subject, "file permissions are restrictive enough")
        }
    }

    private func checkReaders(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o077 != 0 else { return }
        findings.failure(
            subject, "\(path) is accessible to others (\(facts.modeText))", do: "chmod 600 \(path)")
    }

    private func checkWriters(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o022 != 0 else { return }
        findings.failure(
            subject, "\(path) is writable by others (\(facts.modeText))", do: "chmod go-w \(path)")
    }

    /// Allows a group to read the key, which is a common setup.
    private func checkKey(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o027 != 0 else { return }
        findings.failure(
            subject, "the key \(path) is accessible to others (\(facts.modeText))",
            do: "chmod 640 \(path), with a group that may read keys")
    }

    /// Checks the database, its folder and its control socket.
    private func checkLocation(_ findings: inout Diagnostics) {
        if let facts = FileFacts(database) {
            if !FileFacts.canWrite(database) {
                findings.failure(
                    subject, "\(database) cannot be written",
                    do: "run the server as its owner, or change the owner")
            } else if !facts.isOwn {
                findings.warning(
                    subject, "\(database) belongs to another user",
                    do: "run this as the user who runs the server: new files get that owner")
            }
        }
        let folder = FileFacts.folder(of: database)
        if !FileFacts.canWrite(folder) {
            findings.failure(
                subject, "\(folder) cannot be written, but holds the log next to the database",
                do: "run the server as the owner of \(folder)")
        }
        guard isServed else { return }
        let socket = ControlSocket.path(beside: Files.resolved(database))
        guard let facts = FileFacts(socket), facts.mode & 0o077 != 0 else { return }
        findings.failure(
            subject, "\(socket) is accessible to others (\(facts.modeText)): they are admins",
            do: "chmod 600 \(socket)")
    }
}

/// The attributes of a file (`stat(2)`).
struct FileFacts {
    let bytes: Int
    /// The nine permission bits.
    let mode: UInt32
    let isOwn: Bool
    /// The time of the last write, in seconds since 1970.
    let writtenSeconds: Int64

    /// `nil` if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        bytes = Int(status.st_size)
        mode = UInt32(status.st_mode) & 0o777
        isOwn = status.st_uid == geteuid()
        writtenSeconds = Int64(status.st_mtim.tv_sec)
    }

    /// The mode in octal: `640`.
    var modeText: String { String(mode, radix: 8) }

    static func canWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

    /// The folder of a file.
    static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
