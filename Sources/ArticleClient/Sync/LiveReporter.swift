package import ArticleAPI

/// An activity of an iterator of live changes between its steps.
package enum LiveActivity: Sendable, Equatable {
    /// It is about to send a request, which is not sent if the changes are suspended now.
    case requesting
    /// A stream is open.
    case streaming
    /// It polls, and nothing has happened since the last step.
    case polling
    /// It goes on after this delay, because of this error.
    case waiting(Duration, because: BackendError)
}

/// Receives the activities of iterators of live changes, in sessions of one owner.
struct LiveReporter: Sendable {
    let owner: SessionOwner
    let report: @Sendable (LiveActivity) throws(BackendError) -> Void
}

extension BackendAuth {
    /// - Throws: `signedOut` if the session has ended, or is not one of this owner.
    func check(_ id: Session.ID, isOf owner: SessionOwner) async throws(BackendError) {
        if hasStore { try await reloadFromStore() }
        guard try session(id).account == owner else { throw .signedOut }
    }
}

extension BackendService {
    /// Live changes that report their activities. Until they have caught up, they fetch pages,
    /// which are larger than those of a stream and may be compressed.
    ///
    /// In a session of another owner, the sequence throws `signedOut` before it requests anything.
    ///
    /// - Parameters:
    ///   - token: as for `liveChanges(from:matching:options:)`.
    ///   - filter: as there.
    ///   - owner: the required owner of the session.
    ///   - report: is called in the task that iterates, before the step that an activity leads to.
    ///     Its error ends the sequence.
    package func liveChanges(
        from token: String?, matching filter: FetchChangesRequest, onlyAs owner: SessionOwner,
        report: @escaping @Sendable (LiveActivity) throws(BackendError) -> Void
    ) -> LiveChanges {
        var changes = liveChanges(from: token, matching: filter)
        changes.reporter = LiveReporter(owner: owner, report: report)
        return changes
    }
}
