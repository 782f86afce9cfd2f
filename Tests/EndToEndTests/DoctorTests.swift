import BroadsheetSockets
import BroadsheetTestSupport
import Foundation
import Glibc
import Testing

/// The findings of `doctor`.
@Suite(.mayBlock) struct DoctorTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        // A database that has been served before.
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
    }

    /// One finding of the report.
    struct Finding {
        let level: String
        let found: String
        let advice: String?
    }

    struct Report {
        let status: Int32
        let isHealthy: Bool
        let findings: [String: [Finding]]

        init(_ program: RunningProgram) throws {
            let output = program.output.rest().joined(separator: "\n")
            let errors = program.errors.rest()
            status = program.wait()
            let page = try #require(
                JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any],
                "\(errors)")
            isHealthy = try #require(page["healthy"] as? Bool)
            let lines = try #require(page["findings"] as? [[String: Any]])
            var found: [String: [Finding]] = [:]
            for line in lines {
                let finding = Finding(
                    level: try #require(line["level"] as? String),
                    found: try #require(line["found"] as? String),
                    advice: line["advice"] as? String)
                #expect((finding.level == "ok") == (finding.advice == nil))
                found[try #require(line["subject"] as? String), default: []].append(finding)
            }
            findings = found
            #expect((status == 0) == isHealthy && (status == 0 || status == 78))
        }

        func has(_ subject: String, _ level: String, _ text: String = "") -> Bool {
            findings[subject]?.contains {
                $0.level == level && (text.isEmpty || $0.found.contains(text))
            } == true
        }
    }

    private func diagnose(_ arguments: String...) throws -> Report {
        let known = arguments.contains("--database") ? [] : ["--database", database]
        let listen = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        return try Report(Program.start(["doctor", "--json"] + known + listen + arguments))
    }

    @Test func `a healthy setup is reported as such`() throws {
        // Machines that do not permit descriptors for the default number are healthy, too.
        let few = "--max-connections=1000"
        let report = try diagnose(few)
        #expect(report.isHealthy)
        #expect(report.has("database", "ok", "17 articles"))
        #expect(report.has("served", "ok", "not being served"))
        for subject in [
            "configuration", "permissions", "certificates", "addresses", "descriptors", "disk",
        ] {
            #expect(report.has(subject, "ok"), "\(subject)")
        }
        #expect(report.findings["clock"]?.count == 1)
        let lines = try Program.run(
            "doctor", "--database", database, "--listen", "127.0.0.1:0", few)
        #expect(lines.status == 0 && lines.errors == [])
        #expect(lines.output.contains("ok       configuration: valid for serve"))
    }

    @Test func `a served database is checked by its server`() throws {
        let served = try RunningServer(database)
        let report = try diagnose("--listen", "\(served.addresses[0])")
        #expect(report.isHealthy)
        #expect(report.has("served", "ok", "control socket"))
        #expect(report.has("database", "ok", "17 articles"))
        #expect(chmod(database + ".control", 0o666) == 0)
        #expect(try diagnose().has("permissions", "failure", "they are admins"))
        #expect(served.stop() == 0)
    }

    @Test func `files that are accessible to others are named`() throws {
        for (name, mode, isFault) in [
            ("a.db", 0o644, true), ("a.db", 0o600, false), ("key", 0o640, true),
            ("config.json", 0o666, true), ("config.json", 0o644, false),
        ] as [(String, mode_t, Bool)] {
            try write("0123456789012345678901234567890123456789", to: folder.file("key"))
            try write("{}", to: folder.file("config.json"))
            for other in ["key", "config.json"] { chmod(folder.file(other), 0o600) }
            #expect(chmod(folder.file(name), mode) == 0)
            let report = try diagnose(
                "--admin-key-file", folder.file("key"), "--config", folder.file("config.json"))
            #expect(report.has("permissions", "failure", name) == isFault, "\(name) \(mode)")
            #expect(report.isHealthy != isFault)
        }
        try write("bsk_x", to: database + ".admin-key")
        chmod(database + ".admin-key", 0o600)
        #expect(try diagnose().has("permissions", "warning", "first admin key"))
    }

    @Test func `an invalid configuration is reported, and the other checks run`() throws {
        let report = try diagnose("--loops", "0")
        #expect(report.has("configuration", "failure", "--loops"))
        #expect(report.has("database", "ok") && report.has("disk", "ok"))
        let served = try RunningServer(folder.file("other.db"))
        let taken = try diagnose("--listen", "\(served.addresses[0])")
        #expect(taken.has("addresses", "failure", "in use"))
        #expect(served.stop() == 0)
        let open = try diagnose("--listen", "0.0.0.0:0", "--admin-listen", "0.0.0.0:0")
        #expect(open.has("certificates", "warning", "keys are rejected"))
        #expect(open.has("addresses", "warning", "metrics") && open.isHealthy)
    }

    @Test func `certificates are checked against their keys and the clock`() throws {
        func make(_ name: String, _ days: String) throws {
            let made = try Program.run(
                "certificate", "--self-signed", "localhost", "--days", days, "--out",
                folder.file(name))
            try #require(made.status == 0)
        }
        try make("long", "90")
        try make("short", "3")
        func diagnose(_ certificate: String, _ key: String) throws -> Report {
            try self.diagnose(
                "--tls-certificate", folder.file(certificate), "--tls-key", folder.file(key))
        }
        let sound = try diagnose("long.pem", "long.key")
        #expect(sound.isHealthy && sound.has("certificates", "ok", "valid until"))
        let short = try diagnose("short.pem", "short.key")
        #expect(short.isHealthy && short.has("certificates", "warning", "expires soon"))
        let mixed = try diagnose("long.pem", "short.key")
        #expect(mixed.has("certificates", "failure", "does not match the certificate"))
        #expect(try diagnose("none.pem", "long.key").has("certificates", "failure", "none.pem"))
        chmod(folder.file("long.key"), 0o644)
        #expect(try diagnose("long.pem", "long.key").has("permissions", "failure", "long.key"))
        try keep(TestCertificates().pair(["localhost"], days: -1, startsInDays: -9), "old")
        #expect(try diagnose("old.pem", "old.key").has("certificates", "failure", "has expired"))
    }

    private func keep(_ pair: CertificateAndKey, _ name: String) throws {
        try write(pair.certificate, to: folder.file("\(name).pem"))
        try write(pair.key, to: folder.file("\(name).key"))
        chmod(folder.file("\(name).key"), 0o600)
    }

    @Test func `different kinds of invalid databases are told apart`() throws {
        let sound = try bytes(of: database)
        var newer = sound
        newer[63] = 99
        var torn = sound
        for index in sound.count / 2..<sound.count / 2 + 8_192 { torn[index] = 0xA5 }
        for (image, says) in [
            (newer, "schema version 99"), (torn, "finding"),
            (Array("A shopping list.\n".utf8), "not a broadsheet database"),
        ] {
            let path = folder.file("faulty.db")
            unlink(path)
            try write(image, to: path)
            chmod(path, 0o600)
            for ending in ["-wal", "-shm"] { unlink(path + ending) }
            let report = try diagnose("--database", path)
            #expect(report.has("database", "failure", says), "\(report.findings)")
        }
        let absent = try diagnose("--database", folder.file("absent.db"))
        #expect(absent.isHealthy && absent.has("database", "ok", "serve creates it"))
        let nowhere = try diagnose("--database", folder.file("no/a.db"))
        #expect(nowhere.has("database", "failure") && nowhere.has("disk", "failure"))
        // Locked by another process that does not respond.
        let lock = open(database + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try diagnose().has("served", "warning", "is in use"))
        close(lock)
    }

    @Test func `a clock before the last write is wrong`() throws {
        let later = timespec(tv_sec: time(nil) + 7_200, tv_nsec: 0)
        let times = [later, later]
        #expect(utimensat(AT_FDCWD, database, times, 0) == 0)
        let report = try diagnose()
        #expect(report.has("clock", "failure", "before the database was written"))
    }

    @Test func `the descriptor limit is compared with the maximum connections`() throws {
        let program = try Shell.start(
            """
            ulimit -n 300
            exec "$binary" doctor --json --database "$folder/a.db" --listen 127.0.0.1:0
            """, folder: folder.path)
        let report = try Report(program)
        #expect(report.isHealthy)
        #expect(report.has("descriptors", "warning", "enough for 236 clients, not 20000"))
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a small or read-only disk is reported`() throws {
        let doctor = "exec \"$binary\" doctor --json --listen 127.0.0.1:0 --database"
        let small = try Report(
            Shell.startWithMounts(
                """
                mkdir "$folder/small"
                mount -t tmpfs -o size=8m tmpfs "$folder/small"
                \(doctor) "$folder/small/a.db"
                """, folder: folder.path))
        #expect(small.has("disk", "failure", "writes will soon be rejected"))
        let still = try Report(
            Shell.startWithMounts(
                """
                mount --bind "$folder" "$folder"
                mount -o remount,bind,ro "$folder"
                \(doctor) "$folder/a.db"
                """, folder: folder.path))
        #expect(still.has("disk", "failure", "read-only"))
        #expect(still.has("database", "ok", "17 articles"))
        #expect(still.has("permissions", "failure", "cannot be written"))
    }
}
