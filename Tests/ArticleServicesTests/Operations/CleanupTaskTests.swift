import ArticleAPI
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import Testing

@testable import ArticleOperations

/// The work of the server without a request.
@Suite struct CleanupTaskTests {
    @Test func `an interrupted deletion of an account is completed`() async throws {
        try await CommentFixture.run { fixture in
            _ = try fixture.comment("one", as: .ada)
            _ = try fixture.comment("two", as: .bob)
            try await fixture.store.beginDeletion(
                of: try fixture.user(.ada).id, expecting: nil, comments: .delete,
                at: CommentFixture.opening)
            #expect(try fixture.bodies(as: nil) == ["one", "two"])
            await fixture.backend.cleanupTask.cleanUp()
            #expect(try fixture.bodies(as: nil) == ["two"])
            #expect(try await fixture.store.unfinishedDeletions() == [])
        }
    }

    @Test func `what has expired is removed without a write`() async throws {
        try await CommentFixture.run { fixture in
            let name = try #require(HTTPFieldName("Idempotency-Key"))
            for number in 0..<3 {
                let made = try fixture.send(
                    "POST \(CommentFixture.thread)", as: .ada, "{\"body\":\"\(number)\"}",
                    with: [name: "k-\(number)"])
                #expect(made.status == 201)
            }
            let later = CommentFixture.opening.advanced(byMilliseconds: 24 * 3_600_000)
            fixture.pass(milliseconds: 24 * 3_600_000)
            await fixture.backend.cleanupTask.cleanUp()
            #expect(try await fixture.store.removeExpiredOutcomes(at: later) == 0)
        }
    }
}
