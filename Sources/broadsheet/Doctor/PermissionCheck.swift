/// Who may read and write the files.
struct PermissionCheck {
    let database: String
    let isServed: Bool
    let certificates: [CertificateFiles.Paths]
    /// Files that only the operator may write, and whether they hold a secret.
    let files: [(path: String, isSecret: Bool)]

    private let subject = "permissions"

    func run(_ findings: inout Diagnostics) {
        for ending in ["", "-wal", "-shm", ".lock"] { refuseReaders(database + ending, &findings) }
        let key = database + ".admin-key"
        if FileFacts(key) != nil {
            refuseReaders(key, &findings)
            findings.warning(
                subject, "\(key) still holds the first admin key",
                do: "move it to where keys are kept")
        }
        for file in files {
            if file.isSecret { refuseReaders(file.path, &findings) }
            refuseWriters(file.path, &findings)
        }
        for pair in certificates { examineKey(pair.key, &findings) }
        examinePlace(&findings)
        if !findings.hasFault(subject) {
            findings.ok(subject, "nobody else reads what is secret, or writes what counts")
        }
    }

    private func refuseReaders(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o077 != 0 else { return }
        findings.failure(
            subject, "\(path) is open to others (\(facts.modeText))", do: "chmod 600 \(path)")
    }

    private func refuseWriters(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o022 != 0 else { return }
        findings.failure(
            subject, "others may change \(path) (\(facts.modeText))", do: "chmod go-w \(path)")
    }

    /// A group of those who may read keys is common.
    private func examineKey(_ path: String, _ findings: inout Diagnostics) {
        guard let facts = FileFacts(path), facts.mode & 0o027 != 0 else { return }
        findings.failure(
            subject, "the key \(path) is open to others (\(facts.modeText))",
            do: "chmod 640 \(path), with a group of those who may read keys")
    }

    /// The database, its folder and its socket.
    private func examinePlace(_ findings: inout Diagnostics) {
        if let facts = FileFacts(database) {
            if !FileFacts.canWrite(database) {
                findings.failure(
                    subject, "\(database) cannot be written",
                    do: "serve as its owner, or give it to who serves")
            } else if !facts.isOwn {
                findings.warning(
                    subject, "\(database) belongs to another user",
                    do: "run this as the user who serves: what is made belongs to who makes it")
            }
        }
        let folder = FileFacts.folder(of: database)
        if !FileFacts.canWrite(folder) {
            findings.failure(
                subject, "\(folder) cannot be written: the log lies beside the database",
                do: "serve as the owner of \(folder)")
        }
        guard isServed else { return }
        let socket = ControlServer.path(of: Files.resolved(database))
        guard let facts = FileFacts(socket), facts.mode & 0o077 != 0 else { return }
        findings.failure(
            subject, "\(socket) is open to others (\(facts.modeText)): they are admins",
            do: "chmod 600 \(socket)")
    }
}
