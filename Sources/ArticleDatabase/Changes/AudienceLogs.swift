import ArticleAPI
import ArticleStore

/// The logs of the articles and authors that an audience sees: the public and editors have one
/// each. An author has that of the author as an owner, and the public's; they are read as if they
/// were one log.
struct AudienceLogs {
    private let state: Snapshot
    let logs: [TransitionAudience]

    init(of audience: Audience, in state: Snapshot) throws(StoreError) {
        self.state = state
        switch audience {
        case .everyone: logs = [.everyone]
        case .editors: logs = [.editors]
        case .author(let id):
            let number = try state.userNumber(id)
            logs = (number.map { [.owner(id, number: $0)] } ?? []) + [.everyone]
        }
    }

    /// Returns true if the audience sees an article.
    func sees(_ exposure: VisibilityInputs) -> Bool { logs.contains { $0.sees(exposure) } }

    /// The transition as the last one of its subject in all logs; `nil` if it is not.
    func last(
        _ transition: Transition, in log: TransitionAudience
    ) throws(StoreError) -> Transition? {
        guard let other = logs.first(where: { $0 != log }) else { return transition }
        let found = try state.transition(of: transition.kind, transition.subject, for: other)
        if let found {
            if found.sequence > transition.sequence { return nil }
            // A change in both logs is taken from the owner's.
            if found.sequence == transition.sequence, log == .everyone { return nil }
        }
        var last = transition
        switch transition.kind {
        case .article: last.isDeparture = transition.isDeparture && found?.isDeparture ?? true
        case .author:
            // The owner's log does not follow authors while they are public.
            let ofPublic = log == .everyone ? transition : found
            let isHidden = ofPublic?.isDeparture ?? true
            last.isDeparture = isHidden ? try !isByline(transition.subject) : false
        // They have logs of their own.
        case .comment, .bookmark: break
        }
        return last
    }

    /// Returns true if an article of the owner has this author.
    private func isByline(_ author: Int64) throws(StoreError) -> Bool {
        guard case .owner(let id, _) = logs.first else { return false }
        return try state.hiddenArticles(of: id, under: author) != nil
    }
}
