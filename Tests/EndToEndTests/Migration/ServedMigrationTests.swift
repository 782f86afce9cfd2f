import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

/// `broadsheet migrate` while the source is served, and written to.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct ServedMigrationTests {
    private let commands: MigrationCommands
    private let file: String
    private let server: String

    init() throws {
        commands = try MigrationCommands()
        file = commands.folder.file("a.db")
        server = try PostgresServer.shared.newDatabase()
    }

    /// Writes articles until it is stopped: each until it is acknowledged. Rejections say when to
    /// retry.
    private final class Writer: Sendable {
        private struct State {
            var isOver = false
            var titles: [String] = []
            var failures: [String] = []
        }

        private let state = Lock(State())
        private let group = DispatchGroup()

        init(_ served: RunningServer, _ name: String) {
            DispatchQueue(label: name).async(group: group) {
                var number = 0
                while !self.state.withLock({ $0.isOver }) {
                    self.write("\(name)-\(number)", served)
                    number += 1
                }
            }
        }

        private func write(_ title: String, _ served: RunningServer) {
            let body = #"{"title":"\#(title)","status":"published","tags":["\#(title)"]}"#
            while true {
                do {
                    let response = try served.send(.post, "/v1/articles", body)
                    if response.status == 503, response.fields[.retryAfter] != nil { continue }
                    state.withLock { state in
                        if response.status == 201 {
                            state.titles.append(title)
                        } else {
                            state.failures.append("\(response.status) \(response.text)")
                        }
                    }
                } catch { state.withLock { $0.failures.append("\(error)") } }
                return
            }
        }

        var count: Int { state.withLock { $0.titles.count } }

        /// The acknowledged titles, and what failed.
        func stop() -> (titles: [String], failures: [String]) {
            state.withLock { $0.isOver = true }
            group.wait()
            return state.withLock { ($0.titles, $0.failures) }
        }
    }

    @Test func `a served file moves to PostgreSQL and back without losing a write`() async throws {
        let served = try commands.serve(file, ["--samples", "--sign-up", "open"])
        let account = #"{"name":"ada","password":"correct horse battery"}"#
        #expect(try served.send(.post, "/v1/users", account).status == 201)
        let session = try served.send(.post, "/v1/sessions", account)
        let token = try #require(session.text.firstMatch(of: #/"accessToken":"([^"]+)"/#)?.1)
        let article = try served.client.get("/v1/articles/your-first-request")
        let back = commands.folder.file("b.db")
        var processes: [Int32] = []
        defer { for process in processes { kill(process, SIGKILL) } }
        for (source, target) in [(file, server), (server, back)] {
            let writers = ["one", "two"].map { Writer(served, "\($0)-\(processes.count)") }
            let migration = try commands.follow(from: source, to: target)
            let before = writers.map(\.count)
            #expect(await eventually { zip(writers, before).allSatisfy { $0.count > $1 + 5 } })
            processes.append(try commands.takeOver(from: source, to: target))
            let tables = migration.output.rest()
            #expect(migration.wait() == 0, "\(migration.errors.rest())")
            #expect(tables.contains { $0.hasPrefix("articles: ") })
            #expect(tables.last == "process \(processes[processes.count - 1]) serves")
            let counts = writers.map(\.count)
            #expect(await eventually { zip(writers, counts).allSatisfy { $0.count > $1 + 5 } })
            let written = writers.map { $0.stop() }
            #expect(written.flatMap(\.failures) == [])
            let export = try commands.export(target)
            let kept = Set(export.matches(of: #/"title":"([^"]+)"/#).map { String($0.1) })
            #expect(kept.isSuperset(of: written.flatMap(\.titles)))
            let same = try served.client.get("/v1/articles/your-first-request")
            #expect(same.fields[.etag] == article.fields[.etag])
            #expect(try served.send(.get, "/v1/me", key: String(token)).status == 200)
        }
        // The server that moved is upgraded like any other.
        let upgraded = try commands.run("upgrade", "--database", back)
        #expect(upgraded.status == 0, "\(upgraded.errors)")
        if let word = upgraded.output.last?.split(separator: " ").dropFirst().first {
            processes.append(try #require(Int32(word)))
        }
        #expect(try served.client.get("/readyz").status == 200)
        #expect(try commands.run("check", "--database", back).status == 0)
    }

    @Test func `a database that its server has left is not used by accident`() throws {
        var processes: [Int32] = []
        defer { for process in processes { kill(process, SIGKILL) } }
        func move(from source: String, to target: String) throws {
            let migration = try commands.follow(from: source, to: target)
            processes.append(try commands.takeOver(from: source, to: target))
            #expect(migration.wait() == 0)
            for arguments in [
                ["serve", "--listen", "127.0.0.1:0"],
                ["key", "create", "--role", "reader"], ["doctor"],
            ] {
                let ended = try commands.run(arguments + ["--database", source])
                let text = (ended.output + ended.errors).joined()
                #expect(ended.status == (arguments == ["doctor"] ? 78 : 65), "\(ended)")
                #expect(text.contains("\(source): this database was moved to \(target) at 2"))
            }
            #expect(try commands.run("check", "--database", source).status == 0)
        }
        let served = try commands.serve(file, ["--samples"])
        try move(from: file, to: server)
        let old = commands.folder.file("old.db")
        #expect(rename(file, old) == 0)
        // It moves to where it was, which counts again.
        try move(from: server, to: file)
        #expect(try served.client.get("/readyz").status == 200)
        #expect(access(file + ".moved", F_OK) != 0)
        let name = server.dropFirst("postgresql:///".count).prefix { $0 != "?" }
        #expect(unlink(commands.folder.file("\(name).postgresql.moved")) == 0)
        #expect(try commands.serve(server).stop() == 0)
    }

    @Test func `a migration that is interrupted leaves the source alone, and can be repeated`()
        async throws
    {
        let served = try commands.serve(file, ["--samples"])
        let before = try commands.export(file)
        var migration = try commands.follow(from: file, to: server)
        // While it runs, the target belongs to it.
        let other = try commands.start(["serve", "--database", server])
        #expect(other.wait() == 69)
        let second = try commands.run("migrate", "--from", file, "--to", server)
        #expect(second.errors.last?.contains("another migration is running") == true)
        migration.signal(SIGKILL)
        #expect(migration.wait() == 128 + SIGKILL)
        try served.waitForError("the migration ended")
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
        let late = try commands.run("upgrade", "--from", file, "--database", server)
        #expect(late.status == 69 && late.errors.last?.contains("no broadsheet migrate") == true)

        // The server is killed.
        migration = try commands.follow(from: file, to: server)
        served.program.signal(SIGKILL)
        #expect(served.program.wait() == 128 + SIGKILL)
        #expect(migration.wait() == 69)
        #expect(try commands.run("check", "--database", file).status == 0)
        #expect(try commands.export(file).hasPrefix(before.split(separator: "\n")[0]))
        let moved = try commands.run("migrate", "--from", file, "--to", server)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try commands.export(server) == commands.export(file))
    }

    /// Speaks with the server as `broadsheet migrate` does.
    private func ask(_ line: String) throws -> DescriptorChannel {
        let channel = try DescriptorChannel.connect(
            to: file + ".control", timeoutSeconds: Patience.seconds)
        try channel.send(
            "GET / HTTP/1.1\r\nHost: control\r\nConnection: upgrade\r\n"
                + "Upgrade: broadsheet-migration/1\r\n\r")
        while let head = try channel.receiveLine(), !head.isEmpty {}
        try channel.send(line)
        return channel
    }

    @Test func `a server that is killed at any step leaves the source as it was`() throws {
        let articles = (0..<300).map { #"{"title":"Bread \#($0)","slug":"bread-\#($0)"}"# }
        let list = commands.folder.file("articles.ndjson")
        try write(articles.joined(separator: "\n"), to: list)
        #expect(try commands.run("import", list, "--database", file).status == 0)
        let before = try commands.export(file)
        for step in ["copying", "indexing", "following", "verifying"] {
            let served = try commands.serve(file)
            let channel = try ask("to \(server)")
            var upgrade: RunningProgram?
            while let line = try channel.receiveLine(), !line.hasPrefix(step) {
                if line.hasPrefix("following"), upgrade == nil {
                    upgrade = try commands.start(
                        ["upgrade", "--from", file, "--database", server])
                }
                try #require(!line.hasPrefix("failed"), "\(line)")
            }
            served.program.signal(SIGKILL)
            #expect(served.program.wait() == 128 + SIGKILL)
            if let upgrade { #expect(upgrade.wait() == 69) }
            #expect(try commands.run("check", "--database", file).status == 0)
            #expect(try commands.export(file) == before, "\(step)")
            #expect(
                try commands.run("doctor", "--database", server).output.contains {
                    $0.contains("responds and is empty")
                })
        }
        let moved = try commands.run("migrate", "--from", file, "--to", server)
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(try commands.export(server) == before)
    }

    @Test func `if the new process cannot serve, the old one does, and the target is empty`()
        async throws
    {
        let key = commands.folder.file("key")
        try write(RunningServer.adminKey, to: key)
        let program = try RunningProgram(
            "/usr/bin/env",
            [
                "-C", commands.folder.path, try Program.path(), "serve", "--listen",
                "127.0.0.1:0", "--database", file, "--samples", "--admin-key-file", key,
            ])
        let served = try RunningServer(program)
        let migration = try commands.follow(from: file, to: server)
        try #require(unlink(key) == 0)
        let failed = try commands.run("upgrade", "--from", file, "--database", server)
        #expect(failed.status == 69)
        #expect(failed.errors.last?.contains("the old one continues") == true)
        #expect(migration.wait() == 69)
        try served.waitForError("was emptied; writes")
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
        #expect(
            try commands.run("doctor", "--database", server).output.contains {
                $0.contains("responds and is empty")
            })
        #expect(served.stop() == 0)
    }

    @Test func `a full disk ends a migration to a file, and nothing is left of it`() throws {
        #expect(try commands.serve(server, ["--samples"]).stop() == 0)
        let target = commands.folder.file("b.db")
        // 200 blocks of 1,024 bytes.
        let migration = try RunningProgram(
            "/bin/bash",
            [
                "-c", #"ulimit -f 200; exec "$0" migrate --from "$1" --to "$2""#,
                try Program.path(), server, target,
            ])
        let errors = migration.errors.rest()
        #expect(migration.wait() != 0, "\(errors)")
        #expect(access(target, F_OK) != 0)
        #expect(!ProcessFigures.entries(commands.folder.path).contains { $0.contains("partial") })
        let moved = try commands.run("migrate", "--from", server, "--to", target)
        #expect(moved.status == 0, "\(moved.errors)")
    }
}
