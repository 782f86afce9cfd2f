import ArticleAPI
import ArticleServiceCore
import ArticleStore

/// Deletes accounts, in two steps: the revision is only checked before anything is erased.
struct AccountDeletion: Sendable {
    let store: any ArticleStore
    let access: Authenticator

    package func delete(
        _ id: User.ID, expecting revision: Int?, _ comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(ServiceError) {
        do throws(StoreError) {
            try await begin(id, expecting: revision, comments, at: time)
        } catch { throw ServiceError(error) }
        try await finish(id, at: time)
    }

    /// Ends access to the account. `CleanupTask` deletes the rest if `finish` fails.
    func begin(
        _ id: User.ID, expecting revision: Int?, _ comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(StoreError) {
        try await store.beginDeletion(of: id, expecting: revision, comments: comments, at: time)
        access.userDeleted(id)
    }

    func finish(_ id: User.ID, at time: Timestamp) async throws(ServiceError) {
        do throws(StoreError) {
            try await store.finishDeletion(of: id, at: time)
        } catch { throw ServiceError(error) }
    }
}
