import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Backing up a database, and restoring it.
@Suite(.mayBlock) struct BackupTests {
    let folder: TemporaryFolder
    let database: String
    let backup: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        backup = folder.file("backup.db")
    }

    private static let counts = "17 articles, 17 revisions"

    private func make(_ arguments: String...) throws -> Program.Ended {
        let program = try Program.start(["backup", backup, "--database", database] + arguments)
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: program.output.rest(), errors: errors)
    }

    private func restore(_ arguments: String...) throws -> Program.Ended {
        let program = try Program.start(["restore", backup, "--database", database] + arguments)
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: program.output.rest(), errors: errors)
    }

    /// The names of the files in the folder, except those of the database.
    private func files() -> [String] {
        var names: [String] = []
        guard let stream = opendir(folder.path) else { return [] }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") && !name.hasPrefix("a.db-") { names.append(name) }
        }
        let usual = ["a.db", "a.db.lock", "a.db.control", "a.db.backed-up"]
        return names.filter { !usual.contains($0) }.sorted()
    }

    /// The metric of a server that is started and stopped.
    private func ageOfBackup() throws -> Double? {
        let served = try RunningServer(database, ["--admin-listen", "127.0.0.1:0"])
        let line = try #require(served.program.output.next())
        let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
        let admin = try #require(try SocketAddress.resolve(String(address)).first)
        let page = try TestClient(admin).get("/metrics").text
        #expect(served.stop() == 0)
        let found = page.firstMatch(of: /\nbroadsheet_backup_age_seconds ([^\n]*)\n/)
        return found.flatMap { Double($0.output.1) }
    }

    @Test func `the age of the last backup is known after a restart`() throws {
        #expect(try ageOfBackup() == .infinity)
        #expect(try make().status == 0)
        let first = try #require(try ageOfBackup())
        #expect(first > 0 && first < 600)
        var times = [timespec(), timespec(tv_sec: time(nil) - 100_000, tv_nsec: 0)]
        times[0] = times[1]
        #expect(utimensat(AT_FDCWD, database + ".backed-up", times, 0) == 0)
        #expect(try #require(try ageOfBackup()) >= 100_000)
        // One that fails changes nothing.
        #expect(try make().status == 73)
        #expect(try #require(try ageOfBackup()) >= 100_000)
    }

    @Test func `a backup of a served database equals one of an idle database`() throws {
        let served = try RunningServer(database, ["--samples"])
        let first = try make()
        #expect(first.status == 0 && first.errors == ["\(backup): \(Self.counts)"], "\(first)")
        #expect(files() == ["backup.db"])
        var status = stat()
        #expect(lstat(backup, &status) == 0 && status.st_mode == S_IFREG | 0o600)
        #expect(served.stop() == 0)
        let exports = try [backup, database].map { file in
            let path = folder.file("export.ndjson")
            #expect(try Program.run("export", path, "--database", file).status == 0)
            return try read(path)
        }
        #expect(exports[0] == exports[1] && !exports[0].isEmpty)
        unlink(folder.file("export.ndjson"))
        let second = try make("--overwrite")
        #expect(second.status == 0 && second.errors == ["\(backup): \(Self.counts)"])
        #expect(try Program.run("check", "--database", backup).status == 0)
    }

    @Test func `writes continue during a backup, which contains all earlier ones`() throws {
        let served = try RunningServer(database)
        let text = String(repeating: "Flour and water. ", count: 5_000)
        func create(_ number: Int) throws -> Int {
            try served.send(
                .post, "/v1/articles",
                #"{"title":"n\#(number)","status":"published","body":"\#(text)"}"#
            ).status
        }
        for number in 0..<50 { #expect(try create(number) == 201) }
        let program = try Program.start(["backup", backup, "--database", database])
        var during = 0
        while access(backup, F_OK) != 0, during < 500 {
            #expect(try create(50 + during) == 201)
            during += 1
        }
        #expect(program.wait() == 0, "\(program.errors.rest())")
        #expect(during > 0)
        #expect(served.stop() == 0)
        let copy = try RunningServer(backup)
        let list = try copy.client.get("/v1/articles?count=exact&limit=1&fields=id").text
        let count = try #require(list.firstMatch(of: /"value":([0-9]+)/).flatMap { Int($0.1) })
        #expect((50...50 + during).contains(count), "\(list)")
        #expect(copy.stop() == 0)
    }

    @Test func `an existing file is only overwritten on request, and never partially`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        try write("precious", to: backup)
        let rejected = try make()
        #expect(rejected.status == 73 && rejected.errors.count == 1)
        #expect(rejected.errors.first?.contains("--overwrite") == true)
        #expect(try read(backup) == "precious")
        // Neither the database nor its companion files, existing or not, under any path.
        symlink(folder.path, folder.file("link"))
        for ending in ["", "-wal", "-journal", ".lock", ".control", ".admin-key"] {
            for place in [database, folder.file("link/a.db")] {
                for command in [["backup", "--overwrite"], ["export"]] {
                    let program = try Program.start(
                        command + [place + ending, "--database", database])
                    #expect(program.wait() == 64, "\(command) \(place)\(ending)")
                    #expect(program.errors.rest().last?.contains("the database") == true)
                }
            }
        }
        unlink(folder.file("link"))
        #expect(try Program.run("check", "--database", database).status == 0)
        let nowhere = try Program.run("backup", folder.file("no/b.db"), "--database", database)
        #expect(nowhere.status == 73 && nowhere.errors.count == 1)
        let missing = try Program.run(
            "backup", backup, "--database", "/nowhere/at/all.db", "--overwrite")
        #expect(
            missing.status == 66
                && missing.errors == ["broadsheet: /nowhere/at/all.db does not exist"])
        #expect(try read(backup) == "precious" && files() == ["backup.db"])
        try write("x", to: backup + "-wal")
        #expect(try make("--overwrite").status == 73)
    }

    /// Overwrites two pages near the end of the file, which contain no part of the schema.
    private func spoil(_ image: inout [UInt8]) {
        for index in image.count - 16_384..<image.count - 8_192 { image[index] = 0xA5 }
    }

    @Test func `a damaged database is detected, and its copy is discarded`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        var image = try bytes(of: database)
        spoil(&image)
        unlink(database)
        try write(image, to: database)
        let ended = try make()
        #expect(ended.status == 65 && ended.errors.count > 1, "\(ended)")
        #expect(files() == [])
    }

    @Test func `databases that are replaced within the same second are all kept`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        #expect(try make().status == 0)
        let asides = try (0..<4).map { _ in
            let restored = try restore("--replace")
            #expect(restored.status == 0, "\(restored)")
            return try #require(restored.errors.last?.split(separator: " ").last.map(String.init))
        }
        #expect(Set(asides).count == 4)
        for aside in asides { #expect(access(aside, F_OK) == 0) }
    }

    @Test func `a backup becomes the database, and the old one is kept`() throws {
        let served = try RunningServer(database, ["--samples"])
        #expect(try make().status == 0)
        #expect(try served.send(.post, "/v1/articles", #"{"title":"Later"}"#).status == 201)
        let rejected = try restore("--replace")
        #expect(rejected.status == 69 && rejected.errors.count == 1)
        #expect(rejected.errors[0].contains("is being served"))
        // The last write is only in the write-ahead log.
        served.program.signal(SIGKILL)
        served.program.wait()
        let unasked = try restore()
        #expect(unasked.status == 73 && unasked.errors.first?.contains("--replace") == true)

        let restored = try restore("--replace")
        #expect(restored.status == 0 && restored.errors.count == 2, "\(restored)")
        #expect(restored.errors.first == "\(database): \(Self.counts)")
        let aside = try #require(restored.errors.last?.split(separator: " ").last.map(String.init))
        #expect(aside.hasPrefix("\(database).before-"))
        let sound = "ok (\(Self.counts), 21 changes)"
        #expect(
            try Program.run("check", "--database", database).output == ["\(database): \(sound)"])
        let old = try Program.run("check", "--database", aside).output
        #expect(old == ["\(aside): ok (18 articles, 18 revisions, 22 changes)"])
        for file in [database, aside, backup] {
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode == S_IFREG | 0o600)
        }
        let again = try RunningServer(database)
        #expect(try again.client.get("/v1/articles/your-first-request").status == 200)
        #expect(again.stop() == 0)
    }

    @Test func `a backup is restored where no database existed`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        #expect(try make().status == 0)
        for ending in ["", ".lock", "-wal", "-shm"] { unlink(database + ending) }
        let restored = try restore()
        #expect(restored.status == 0 && restored.errors == ["\(database): \(Self.counts)"])
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `restoring an invalid backup changes nothing`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        let before = try bytes(of: database)
        #expect(try make().status == 0)
        let sound = try bytes(of: backup)
        var newer = sound
        newer[63] = 99
        var torn = sound
        spoil(&torn)
        let faults: [(bytes: [UInt8], status: Int32, says: String)] = [
            (newer, 65, "schema version 99"), (torn, 65, "finding"),
            (Array("A shopping list.\n".utf8), 65, "is not a broadsheet database"),
            ([], 65, "is empty"),
            (Array(sound.prefix(sound.count / 3)), 65, ""),
        ]
        for fault in faults {
            unlink(backup)
            try write(fault.bytes, to: backup)
            for arguments in [["--replace"], ["--database", folder.file("new.db")]] {
                let known = arguments.contains("--database") ? [] : ["--database", database]
                let program = try Program.start(["restore", backup] + known + arguments)
                let errors = program.errors.rest()
                #expect(program.wait() == fault.status, "\(fault.says): \(errors)")
                #expect(errors.contains { $0.contains(fault.says) }, "\(errors)")
            }
            #expect(try bytes(of: database) == before)
            #expect(files().filter { !$0.hasSuffix(".lock") } == ["backup.db"])
        }
        let absent = try Program.run("restore", folder.file("no.db"), "--database", database)
        #expect(absent.status == 66)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a backup that is interrupted leaves no files behind`(signal: Int32) async throws {
        let served = try RunningServer(database, ["--samples"])
        // The stopped server does not respond, so the backup waits.
        served.program.signal(SIGSTOP)
        let program = try Program.start(["backup", backup, "--database", database])
        #expect(await eventually { !files().isEmpty })
        program.signal(signal)
        #expect(program.wait() == 1)
        #expect(files() == [])
        served.program.signal(SIGCONT)
        #expect(try make().status == 0)
        #expect(served.stop() == 0)
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a full disk is reported and leaves no partial files`() throws {
        let served = try RunningServer(database, ["--samples"])
        func end(_ command: String) throws -> Program.Ended {
            let program = try Shell.startWithMounts(
                """
                mkdir -p "$folder/small"
                mount -t tmpfs -o size=64k tmpfs "$folder/small"
                "$binary" \(command) || status=$?
                ls -A "$folder/small"
                exit $status
                """, folder: folder.path)
            let output = program.output.rest()
            let errors = program.errors.rest()
            return Program.Ended(status: program.wait(), output: output, errors: errors)
        }
        let small = "\"$folder/small/b.db\""
        let whileServed = try end("backup \(small) --database \"$folder/a.db\"")
        #expect(whileServed.status == 74 && whileServed.output == [])
        #expect(whileServed.errors.joined().contains("No space left"), "\(whileServed)")
        #expect(try make().status == 0)
        #expect(served.stop() == 0)
        let free = try end("backup \(small) --database \"$folder/a.db\"")
        #expect(free.status == 74 && free.output == [])
        #expect(free.errors == ["broadsheet: not enough disk space for the copy"])
        let restored = try end("restore \"$folder/backup.db\" --database \(small)")
        #expect(restored.status == 74 && restored.output == ["b.db.lock"], "\(restored)")
        #expect(restored.errors == ["broadsheet: not enough disk space for the copy"])
    }

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `a check works on a read-only disk, and leaves no files behind`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        #expect(try make().status == 0)
        unlink(database + ".lock")
        for name in ["a.db", "backup.db"] {
            let program = try Shell.startWithMounts(
                """
                mount --bind "$folder" "$folder"
                mount -o remount,bind,ro "$folder"
                exec "$binary" check --database "$folder/\(name)"
                """, folder: folder.path)
            let output = program.output.rest()
            #expect(program.wait() == 0, "\(program.errors.rest())")
            #expect(output == ["\(folder.file(name)): ok (\(Self.counts), 21 changes)"])
        }
        #expect(files() == ["backup.db"])
    }
}
