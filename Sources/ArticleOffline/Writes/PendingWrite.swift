public import ArticleAPI

/// A write that the backend has not yet confirmed: to an article, or any request that can be
/// repeated. See ``OutboxEntry``.
public enum PendingWrite: Sendable, Hashable {
    /// The id in the draft is chosen by the client.
    case create(Article.Draft)
    case update(Article.Changes)
    case delete
    /// A write to something else.
    case request(PendingRequest)
}

extension PendingWrite: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(kind:draft:changes:request:),
        .required("kind", \.kind, .text(.choice)),
        .optional("draft", \.draft, Article.Draft.format),
        .optional("changes", \.changes, Article.Changes.format),
        .optional("request", \.request, PendingRequest.format))

    /// A required text, so that a kind of write that this version does not know cannot be read as
    /// one that it knows.
    private enum Kind: String, CaseIterable {
        case create, update, delete, request
    }

    private init(
        kind: Kind, draft: Article.Draft?, changes: Article.Changes?, request: PendingRequest?
    ) {
        switch kind {
        case .create: self = .create(draft ?? Article.Draft(title: ""))
        case .update: self = .update(changes ?? Article.Changes())
        case .delete: self = .delete
        case .request: self = request.map(PendingWrite.request) ?? .update(Article.Changes())
        }
    }

    private var kind: Kind {
        switch self {
        case .create: .create
        case .update: .update
        case .delete: .delete
        case .request: .request
        }
    }

    private var draft: Article.Draft? { if case .create(let draft) = self { draft } else { nil } }

    private var changes: Article.Changes? {
        if case .update(let changes) = self { changes } else { nil }
    }

    var request: PendingRequest? {
        if case .request(let request) = self { request } else { nil }
    }
}

extension PendingWrite {
    /// The combination of two writes, one after the other.
    enum Folded: Equatable {
        case write(PendingWrite)
        /// They cancel each other out.
        case nothing
    }

    /// One write with the effect of this one and then the next one; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - next: the later write.
    ///   - base: the article before this one; `nil` if it creates the article.
    func followed(by next: PendingWrite, on base: Article?) -> Folded? {
        switch (self, next) {
        case (.create(let draft), .update(let changes)):
            return draft.applying(changes).map { .write(.create($0)) }
        case (.create, .delete): return .nothing
        case (.update(let first), .update(let second)):
            guard let base, let once = base.edited(by: first), let twice = once.edited(by: second)
            else { return nil }
            let changes = Article.Changes(from: base, to: twice)
            return changes.isEmpty ? .nothing : .write(.update(changes))
        case (.update, .delete), (.delete, .delete): return .write(.delete)
        case (.create, .create), (.update, .create), (.delete, .create), (.delete, .update),
            (.request, _), (_, .request):
            return nil
        }
    }
}

extension Article {
    /// The article after changes; `nil` if the backend would reject them.
    func edited(by changes: Changes) -> Article? {
        (try? draft(applying: changes)) == nil ? nil : applying(changes)
    }

    /// An article that the backend does not have yet, as it will probably be.
    init(_ draft: Draft, id: ID, at time: Timestamp) {
        let empty = Article(
            id: id, slug: draft.slug ?? Slug(title: draft.title)?.text ?? "\(id)",
            title: draft.title, body: "", language: draft.language ?? "und", status: .draft,
            createdAt: time, updatedAt: time, wordCount: 0, readingMinutes: 0)
        self = empty.applying(Changes(from: empty.draft, to: draft))
    }
}

extension Article.Draft {
    /// Returns the draft with a merge patch applied (RFC 7396 §2); `nil` if it is not one any more.
    /// Attributes that the draft leaves to the backend are still left to it.
    func applying(_ changes: Article.Changes) -> Article.Draft? {
        guard let draft = try? JSONParser.parse(json()),
            let patch = try? JSONParser.parse(changes.json())
        else { return nil }
        var writer = JSONWriter()
        draft.merged(with: patch).write(to: &writer)
        return try? Article.Draft(mapping: writer.bytes)
    }
}

extension JSONValue {
    /// This value with a merge patch applied (RFC 7396 §2).
    fileprivate func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        for change in changes {
            let place = members.firstIndex { $0.name == change.name }
            if case .null = change.value {
                if let place { members.remove(at: place) }
            } else if let place {
                members[place].value = members[place].value.merged(with: change.value)
            } else {
                let value = JSONValue.object([]).merged(with: change.value)
                members.append(Member(name: change.name, value: value))
            }
        }
        return .object(members)
    }
}
