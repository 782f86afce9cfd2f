import ArticleAPI
import ArticleStore

/// The logs of what an audience sees: the public and editors have one each. An author has that of
/// the author as an owner, and the public's; they are read as if they were one log.
struct AudienceLogs {
    private let state: Snapshot
    private let logs: [TransitionAudience]

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

    /// Whether the audience sees an article.
    func sees(_ exposure: Exposure) -> Bool { logs.contains { $0.sees(exposure) } }

    /// The number of the last transition; 0 if there is none.
    func lastSequence() throws(StoreError) -> Int64 {
        var last: Int64 = 0
        for log in logs { last = max(last, try state.lastTransition(for: log)) }
        return last
    }

    /// Walks over the transitions after a number. One that is not the subject's last in all logs is
    /// part of the walk, but `nil` if it is passed to `last(_:in:)`.
    func walks(after sequence: Int64) throws(StoreError) -> [LogWalk] {
        var walks: [LogWalk] = []
        for log in logs { walks.append(try LogWalk(over: log, after: sequence, in: state)) }
        return walks
    }

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
        // These are in the logs of users, but not of the public.
        case .comment, .bookmark: break
        }
        return last
    }

    /// Whether an article of the owner has this author.
    private func isByline(_ author: Int64) throws(StoreError) -> Bool {
        guard case .owner(let id, _) = logs.first else { return false }
        return try state.hiddenArticles(of: id, under: author) != nil
    }
}

/// Walks over one log.
final class LogWalk {
    let log: TransitionAudience
    /// The current one; `nil` at the end.
    private(set) var transition: Transition?
    private let rows: Statement

    /// Starts after this number.
    init(
        over log: TransitionAudience, after sequence: Int64, in state: Snapshot
    ) throws(StoreError) {
        self.log = log
        rows = try state.connection.statement(SQL.transitionsAfter)
        try rows.bind(1, log.number)
        try rows.bind(2, sequence)
        try advance()
    }

    func advance() throws(StoreError) {
        transition = try rows.step() ? Transition(rows) : nil
    }

    /// The walk whose current transition comes first; `nil` at the end of all.
    static func first(of walks: [LogWalk]) -> LogWalk? {
        var first: LogWalk?
        for walk in walks {
            guard let sequence = walk.transition?.sequence else { continue }
            if let other = first?.transition?.sequence, other <= sequence { continue }
            first = walk
        }
        return first
    }
}
