import ArticleServices
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

/// Databases that were set back in time: afterwards, followers of every kind have what the server
/// has.
@Suite struct CutFollowersTests {
    /// Everybody follows, one after the other, on a network that may fail.
    private func follow(
        _ followers: [any Follower], _ server: CutServer, _ editor: inout RandomEditor
    ) async throws {
        for follower in followers where editor.isTrue(in: 2) {
            server.fail(after: editor.isTrue(in: 2) ? editor.below(6) : nil)
            try await follower.follow(server)
        }
        server.fail(after: nil)
    }

    private func cutOften(_ database: CutDatabase, _ cuts: Int) async throws {
        let server = CutServer(database)
        var editor = RandomEditor(seed: 4_040)
        let user = try OutboxFollower(seed: 4_041)
        let source = try await SourceFollower(clock: server.clock)
        let (webhook, reader) = (WebhookFollower(), ReadingFollower())
        let followers: [any Follower] = [
            try MirrorFollower(), try FolderFollower(), user, source, webhook,
        ]
        for cut in 0..<cuts {
            // A source takes over some revisions of an article a day.
            server.clock.pass(seconds: 86_400)
            try await server.run { _ in
                if cut == 0 {
                    try await editor.begin(on: server)
                    for follower in followers { try await follower.follow(server) }
                }
                for _ in 0..<(1 + editor.below(4)) { try await editor.write(to: server) }
                try await follow(followers, server, &editor)
            }
            try database.save()
            let (saved, executed) = (editor, server.executed)
            try await server.run { _ in
                for _ in 0..<editor.below(6) { try await editor.write(to: server) }
                try await follow(followers, server, &editor)
                try await reader.follow(server)
            }
            let isNoticed = cut % 4 == 3
            try database.setBack(isNoticed: isNoticed)
            (editor, server.executed) = (saved, executed)
            editor.reseed(UInt64(cut))
            // Sooner or later than the longest request of an app.
            server.clock.pass(seconds: editor.isTrue(in: 2) ? 5 : 400)
            try await server.run(awaitsNotice: isNoticed) { _ in
                for _ in 0..<editor.below(9) { try await editor.write(to: server) }
                try await reader.expectServed(by: server)
                try await user.finish(server)
                // A receiver is told that it has to begin anew with the next change.
                try await webhook.follow(server)
                try await editor.publish(on: server)
                for follower in followers where !(follower is OutboxFollower) {
                    try await follower.follow(server)
                }
                try await user.finish(server)
                for follower in followers {
                    try await follower.expectEqual(
                        to: server, "\(type(of: follower)), \(database), cut \(cut)")
                }
            }
        }
        #expect(server.resets > 0)
        await source.close()
    }

    @Test func `followers of a file that is set back have what it has`() async throws {
        try await cutOften(.file(), Thoroughness.isFull ? 1_000 : 10)
    }

    @Test(
        .enabled(
            if: PostgresServer.isInstalled && Thoroughness.isFull, "PostgreSQL takes its time"))
    func `followers of a PostgreSQL database that is set back have what it has`() async throws {
        try await cutOften(.schema(), 250)
    }
}
