import ArticleAPI
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import Testing

@testable import ArticleOperations

/// The work of the server without a request.
@Suite struct HousekeeperTests {
    @Test func `an interrupted deletion of an account is completed`() async throws {
        try await CommentDesk.run { desk in
            _ = try desk.comment("one", as: .ada)
            _ = try desk.comment("two", as: .bob)
            try await desk.store.beginDeletion(
                of: try desk.user(.ada).id, expecting: nil, comments: .delete,
                at: CommentDesk.opening)
            #expect(try desk.bodies(as: nil) == ["one", "two"])
            await desk.backend.housekeeper.cleanUp()
            #expect(try desk.bodies(as: nil) == ["two"])
            #expect(try await desk.store.unfinishedDeletions() == [])
        }
    }

    @Test func `what has expired is removed without a write`() async throws {
        try await CommentDesk.run { desk in
            let name = try #require(HTTPFieldName("Idempotency-Key"))
            for number in 0..<3 {
                let made = try desk.send(
                    "POST \(CommentDesk.thread)", as: .ada, "{\"body\":\"\(number)\"}",
                    with: [name: "k-\(number)"])
                #expect(made.status == 201)
            }
            let later = CommentDesk.opening.advanced(byMilliseconds: 24 * 3_600_000)
            desk.pass(milliseconds: 24 * 3_600_000)
            await desk.backend.housekeeper.cleanUp()
            #expect(try await desk.store.removeExpiredOutcomes(at: later) == 0)
        }
    }
}
