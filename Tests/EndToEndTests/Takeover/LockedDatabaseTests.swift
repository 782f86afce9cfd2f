import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Stops and upgrades of servers while somebody else holds a lock in PostgreSQL.
@Suite(
    .serialized, .mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed")
)
struct LockedDatabaseTests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = try PostgresServer.shared.newDatabase()
    }

    /// Runs the binary in the folder, where it has its socket.
    private func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env",
            ["-C", folder.path, try Program.path()] + arguments + ["--database", database],
            environment: ["BROADSHEET_ADMIN_KEY": RunningServer.adminKey])
    }

    /// A server with an article.
    private func serve() throws -> (RunningServer, article: Article.ID) {
        let served = try RunningServer(
            start(["serve", "--listen", "127.0.0.1:0", "--log", "off", "--grace", "1"]))
        let created = try served.send(
            .post, "/v1/articles", #"{"title":"Rye","status":"published"}"#)
        try #require(created.status == 201)
        return (served, try Article(mapping: created.body).id)
    }

    /// A client whose write of the article waits for the lock.
    private func write(
        _ article: Article.ID, to served: RunningServer, _ lock: DatabaseLock
    ) async throws -> RawConnection {
        let client = try RawConnection(served.addresses[0])
        let body = #"{"title":"Oats"}"#
        try client.send(
            "PATCH /v1/articles/\(article) HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(RunningServer.adminKey)\r\n"
                + "Content-Type: application/merge-patch+json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        try #require(await eventually { (try? lock.isAwaited()) == true })
        return client
    }

    private static let row = "SELECT FROM articles FOR UPDATE"

    @Test(arguments: [
        row, "LOCK TABLE articles IN ACCESS EXCLUSIVE MODE",
        "SELECT FROM commit_clock FOR UPDATE",
    ])
    func `an upgrade while a lock is held changes nothing, and says why`(
        statement: String
    ) async throws {
        let (served, article) = try serve()
        let path = "/v1/articles?limit=1"
        // From now on in the cache, from where it is read without the database.
        for _ in 0..<3 { #expect(try served.client.get(path).status == 200) }
        let lock = try DatabaseLock(statement, in: database)
        let writer = statement == Self.row ? try await write(article, to: served, lock) : nil
        let upgrade = try start(["upgrade"])
        let errors = upgrade.errors.rest()
        #expect(upgrade.wait() == 69)
        let reason = "lock that another session of PostgreSQL holds"
        #expect(errors.last?.contains(reason) == true, "\(errors)")
        #expect(errors.last?.contains("the old one continues") == true, "\(errors)")
        // A node that could not ask the database for a second does not trust its cache until it has
        // asked again, which a busy machine may delay.
        #expect(await eventually { (try? served.client.get(path).status) == 200 })
        try lock.release()
        if let writer { #expect(try writer.response(to: .patch).status == 200) }

        let again = try start(["upgrade"])
        let words = (again.output.next() ?? "").split(separator: " ")
        #expect(again.wait() == 0, "\(again.errors.rest())")
        var log: [String] = []
        // The new process writes to the same log, which does not end.
        while let line = served.program.errors.next(), !line.contains("is serving now") {
            log.append(line)
        }
        #expect(served.program.wait() == 0)
        #expect(log.filter { $0.contains("the old one continues") }.count == 1, "\(log)")
        #expect(log.filter { $0.contains("handing over") }.count == 1, "\(log)")
        #expect(try served.send(.post, "/v1/articles", #"{"title":"Rye"}"#).status == 201)
        let process = try #require(words.count == 3 ? Int32(words[1]) : nil)
        kill(process, SIGTERM)
    }

    @Test func `a stop leaves a write behind that waits for a lock`() async throws {
        let (served, article) = try serve()
        let lock = try DatabaseLock(Self.row, in: database)
        let writer = try await write(article, to: served, lock)
        served.program.signal(SIGTERM)
        let log = served.program.errors.rest()
        #expect(served.program.wait() == 0, "\(log)")
        #expect(log.contains { $0.contains("is still running: abandoning it") }, "\(log)")
        withExtendedLifetime(writer) {}
        try lock.release()
        let check = try start(["check"])
        #expect(check.wait() == 0, "\(check.errors.rest())")
    }
}
