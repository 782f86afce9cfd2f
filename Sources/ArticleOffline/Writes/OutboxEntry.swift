public import ArticleAPI

/// A write that waits to be sent, is being sent, or needs a decision.
///
/// A store keeps its JSON form. Its key belongs to exactly one request: whenever the write or the
/// version that it expects changes after it was sent, it gets a new key.
///
/// ```swift
/// let conflicts = queue.entries.filter { entry in
///     if case .conflict = entry.status { true } else { false }
/// }
/// ```
public struct OutboxEntry: Sendable, Hashable, Identifiable {
    /// The state of the write.
    public enum Status: Sendable, Hashable {
        /// It is sent at this time; `nil` for as soon as possible.
        case waiting(until: Timestamp?)
        /// It has been sent and is waiting for a response.
        case sending
        /// Someone has changed the article meanwhile, and an attribute, or a paragraph of the body,
        /// has two new values; or one side has deleted it. `theirs` is the article as the backend
        /// has it, if it has one. `Article.Merge` of base, changes and theirs says what overlaps.
        case conflict(theirs: Article?)
        /// It was sent without the version of its article, no response came, and the backend has
        /// forgotten its key by now: it must not be sent again unless the user wants it.
        case needsConfirmation
        /// The backend did not accept it.
        case rejected(Problem)
    }

    /// Counts up; an article's entries are sent in this order.
    public let number: Int
    /// The article that the write changes, or that a comment or bookmark is about; `nil` for other
    /// requests.
    public let article: Article.ID?
    public internal(set) var write: PendingWrite
    /// The article that the write changes, as its user saw it; `nil` for a new one. Its version is
    /// the one that the write expects.
    public internal(set) var base: Article?
    /// The `Idempotency-Key`.
    public internal(set) var key: String
    /// `Credentials.account` of the user who wrote it; it is sent in no other account's session.
    public let account: String
    public let createdAt: Timestamp
    /// The time at which the key was first sent; `nil` if it was not.
    public internal(set) var firstSentAt: Timestamp?
    /// The number of attempts to send it since it last changed.
    public internal(set) var attempts: Int
    /// The number of attempts that may have reached the backend without a response.
    var openAttempts: Int
    /// True if the base is newer than the version that the user saw.
    var isRebased: Bool
    public internal(set) var status: Status

    public var id: Int { number }

    package init(
        number: Int, article: Article.ID?, write: PendingWrite, base: Article?, key: String,
        account: String, createdAt: Timestamp, firstSentAt: Timestamp? = nil, attempts: Int = 0,
        openAttempts: Int = 0, isRebased: Bool = false, status: Status = .waiting(until: nil)
    ) {
        self.number = number
        self.article = article
        self.write = write
        self.base = base
        self.key = key
        self.account = account
        self.createdAt = createdAt
        self.firstSentAt = firstSentAt
        self.attempts = attempts
        self.openAttempts = openAttempts
        self.isRebased = isRebased
        self.status = status
    }

    /// True if the backend cannot have seen the write, so that a later one can still become part of
    /// it.
    var isUnseen: Bool { openAttempts == 0 }

    var isRejected: Bool { if case .rejected = status { true } else { false } }

    /// True if it changes an article.
    var isEdit: Bool { write.request == nil }

    /// A key of the writes that are sent one after the other.
    enum Lane: Hashable {
        case article(Article.ID)
        case order(String)
        case entry(Int)
    }

    var lane: Lane {
        guard let request = write.request else {
            return article.map(Lane.article) ?? .entry(number)
        }
        return request.order.map(Lane.order) ?? .entry(number)
    }

    /// The request, if it is one of this type: what a list of unsent comments or bookmarks shows.
    ///
    /// - Parameter type: a type that the app has sent.
    public func request<Request: RepeatableRequest>(as type: Request.Type) -> Request? {
        do throws(RequestValidationError) {
            return try write.request?.request(as: type, key: key)
        } catch { return nil }
    }

    var isCreation: Bool { if case .create = write { true } else { false } }

    /// Returns one write with the effect of this one and then the next one; `nil` if there is none,
    /// or if it would overwrite changes that its user has not seen.
    func folded(with next: PendingWrite, seeing seen: Article?) -> PendingWrite.Folded? {
        if isRebased, let base, let seen, case .update(let changes) = write {
            let current = base.applying(changes)
            switch next {
            case .update(let mine):
                let merge = Article.Merge(base: seen, mine: mine, theirs: current)
                guard merge.conflicts.isEmpty else { return nil }
                return write.followed(by: .update(merge.changes()), on: base)
            case .delete:
                guard Article.Changes(from: seen, to: current).isEmpty else { return nil }
            case .create, .request: break
            }
        }
        return write.followed(by: next, on: base)
    }

    /// Makes it a write that was never sent.
    mutating func restart(
        with write: PendingWrite, on base: Article?, key newKey: String, isRebased: Bool
    ) {
        self.write = write
        self.base = base
        self.isRebased = isRebased
        key = newKey
        (firstSentAt, attempts, openAttempts) = (nil, 0, 0)
        status = .waiting(until: nil)
    }
}

extension OutboxEntry: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(
            number:article:write:base:key:account:createdAt:firstSentAt:attempts:openAttempts:
            isRebased:status:until:theirs:problem:),
        .required("number", \.number, .integer(0...Int.max)),
        .optional("article", \.article, .identifier()),
        .required("write", \.write, PendingWrite.format),
        .optional("base", \.base, Article.format),
        .required("key", \.key, .text(.idempotencyKey)),
        .required("account", \.account, .text(.lines(0...4096))),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("firstSentAt", \.firstSentAt, .timestamp),
        .required("attempts", \.attempts, .integer(0...Int.max)),
        .required("openAttempts", \.openAttempts, .integer(0...Int.max)),
        .required("isRebased", \.isRebased, .boolean),
        .required("status", \.status.kind, .text(.choice)),
        .optional("until", \.status.until, .timestamp),
        .optional("theirs", \.status.theirs, Article.format),
        .optional("problem", \.status.problem, Problem.format))

    private init(
        number: Int, article: Article.ID?, write: PendingWrite, base: Article?, key: String,
        account: String, createdAt: Timestamp, firstSentAt: Timestamp?, attempts: Int,
        openAttempts: Int, isRebased: Bool, status: Status.Kind, until: Timestamp?,
        theirs: Article?, problem: Problem?
    ) {
        self.init(
            number: number, article: article, write: write, base: base, key: key,
            account: account, createdAt: createdAt, firstSentAt: firstSentAt, attempts: attempts,
            openAttempts: openAttempts, isRebased: isRebased,
            status: Status(status, until, theirs, problem))
    }
}

extension OutboxEntry.Status {
    fileprivate enum Kind: String, CaseIterable {
        case waiting, sending, conflict, needsConfirmation, rejected
    }

    fileprivate init(
        _ kind: Kind, _ until: Timestamp?, _ theirs: Article?, _ problem: Problem?
    ) {
        switch kind {
        case .waiting: self = .waiting(until: until)
        case .sending: self = .sending
        case .conflict: self = .conflict(theirs: theirs)
        case .needsConfirmation: self = .needsConfirmation
        case .rejected:
            self = .rejected(problem ?? Problem(type: "about:blank", title: "", status: 0))
        }
    }

    fileprivate var kind: Kind {
        switch self {
        case .waiting: .waiting
        case .sending: .sending
        case .conflict: .conflict
        case .needsConfirmation: .needsConfirmation
        case .rejected: .rejected
        }
    }

    fileprivate var until: Timestamp? {
        if case .waiting(let until) = self { until } else { nil }
    }

    fileprivate var theirs: Article? {
        if case .conflict(let theirs) = self { theirs } else { nil }
    }

    fileprivate var problem: Problem? {
        if case .rejected(let problem) = self { problem } else { nil }
    }
}
