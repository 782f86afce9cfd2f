import ArticleAPI
import ArticleServices
import ArticleStore
import Testing

/// What the server does without a request.
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
}
