import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// A client that reads what it has written (`Broadsheet-After`), whether or not that was lost.
final class ReadingFollower: Follower {
    private let written = Lock<(id: Article.ID, place: String)?>(nil)

    func follow(_ server: CutServer) async throws {
        let id = Article.ID(at: server.clock.time)
        let made = try await server.send("POST /v1/articles", #"{"id":"\#(id)","title":"Read"}"#)
        try #require(made.status == .created)
        written.withLock { $0 = (id, made.fields[.broadsheetSequence] ?? "") }
        try await read(server, expecting: [.ok])
        try await server.send("DELETE /v1/articles/\(id)")
    }

    private func read(_ server: CutServer, expecting statuses: [HTTPStatus]) async throws {
        guard let (id, place) = written.withLock({ $0 }) else { return }
        let found = try await server.send(
            "GET /v1/articles/\(id)", with: [.broadsheetAfter: place])
        #expect(statuses.contains(found.status), "\(id)")
    }

    func expectEqual(to server: CutServer, _ comment: Testing.Comment) async throws {}

    /// Expects that nobody waits for what was lost.
    func expectServed(by server: CutServer) async throws {
        try await read(server, expecting: [.ok, .notFound])
    }
}
