import ArticleAPI
import ArticleAccounts
import ArticleServiceCore

/// The streams with credentials, to end them with their access.
struct StreamCredentials: Sendable {
    private struct Entry {
        let principal: Principal
        weak var subscriber: ChangeSubscriber?
    }

    /// Entries by the subject whose end ends them: the public id of a key or of an operator's
    /// session, or a user.
    private var entries: [Subject: [ObjectIdentifier: Entry]] = [:]

    private enum Subject: Hashable {
        case key(String)
        case user(User.ID)

        /// `nil` if the access does not end.
        init?(_ principal: Principal) {
            switch principal.kind {
            case .anonymous, .operatorKey, .controlSocket: return nil
            case .key, .operatorSession: self = .key(principal.id)
            case .session:
                guard let user = principal.user else { return nil }
                self = .user(user)
            }
        }
    }

    mutating func insert(_ subscriber: ChangeSubscriber) {
        let principal = subscriber.principal
        guard let subject = Subject(principal) else { return }
        entries[subject, default: [:]][ObjectIdentifier(subscriber)] = Entry(
            principal: principal, subscriber: subscriber)
    }

    mutating func remove(_ subscriber: ObjectIdentifier, of principal: Principal) {
        guard let subject = Subject(principal) else { return }
        entries[subject]?[subscriber] = nil
        if entries[subject]?.isEmpty ?? false { entries[subject] = nil }
    }

    /// The subscribers whose access this ends.
    func subscribers(of end: AccessRevocation) -> [ChangeSubscriber] {
        switch end {
        case .key(let id): subscribers(of: .key(id)) { _ in true }
        case .keySession(let id, let key):
            subscribers(of: .key(key)) { $0.consoleSession == id }
        case .session(let id, let user): subscribers(of: .user(user)) { $0.id == id }
        case .sessions(let user, let kept): subscribers(of: .user(user)) { $0.id != kept }
        case .all: subscribers(where: { _ in true })
        }
    }

    private func subscribers(
        of subject: Subject, where isEnded: (Principal) -> Bool
    ) -> [ChangeSubscriber] {
        entries[subject, default: [:]].values.filter { isEnded($0.principal) }
            .compactMap(\.subscriber)
    }

    func subscribers(where isEnded: (Principal) -> Bool) -> [ChangeSubscriber] {
        entries.values.flatMap { $0.values.filter { isEnded($0.principal) } }
            .compactMap(\.subscriber)
    }
}
