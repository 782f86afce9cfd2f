import ArticleAPI
import ArticleStore

/// Deletes accounts.
struct AccountDeletion: Sendable {
    let store: any ArticleStore
    let access: Authenticator

    /// The revision is only checked before anything is erased. If the rest fails, access has ended,
    /// and `Housekeeper` deletes what is left.
    func delete(
        _ id: User.ID, expecting revision: Int?, _ comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(ServiceError) {
        do throws(StoreError) {
            try await store.beginDeletion(
                of: id, expecting: revision, comments: comments, at: time)
            access.userDeleted(id)
            try await store.finishDeletion(of: id, at: time)
        } catch { throw ServiceError(error) }
    }
}
