import ArticleAPI
import ArticleOffline

extension FetchChangesRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<ChangePage<Article>>
    {
        InMemoryReply(item: try state.changes(self).page, fields: fields)
    }
}

extension InMemoryState {
    /// The state of a client's copy: everything that last changed at `sequence` or before it, and
    /// what changed later in some state of `base` or later, if at all.
    private typealias Position = (sequence: Int, base: Int)

    /// A page of changes, and for each the token of a client that has everything up to it.
    func changes(
        _ request: FetchChangesRequest
    ) throws(Problem) -> (page: ChangePage<Article>, tokens: [String]) {
        let kinds = request.types ?? SyncKind.content
        let isForComments = kinds.contains(.comment)
        if kinds.contains(.bookmark) { _ = try signedIn() }
        guard isForComments == (request.article != nil) else {
            let fault = isForComments ? "is required" : "is only"
            throw .badParameter("article", "\(fault) for the type comment")
        }
        if let article = request.article, !sees(self.article(article)) { throw .notFound }
        let list = list(request, kinds)
        func token(_ position: Position) -> String {
            "\(epoch).\(position.sequence).\(position.base).\(list.text)"
        }
        var page = ChangePage<Article>(
            changes: [], next: token((sequence, sequence)), more: false)
        var tokens: [String] = []
        if request.since == FetchChangesRequest.now { return (page, tokens) }
        let start = try position(request.since, list)
        let later = log.filter { $0.value > start.sequence }.sorted { $0.value < $1.value }
        for (subject, number) in later {
            guard let change = change(subject, number, request, kinds, start.base) else {
                continue
            }
            guard page.changes.count < request.limit ?? 100 else {
                (page.next, page.more) = (tokens.last ?? page.next, true)
                break
            }
            page.changes.append(change)
            tokens.append(token((number, start.base)))
        }
        return (page, tokens)
    }

    /// The events that follow a request's token, which then is that of the last one; at first with
    /// the event that says that the client has caught up.
    func events(
        _ request: inout FetchChangesRequest, _ isCurrent: inout Bool
    ) throws(Problem) -> [UInt8] {
        var text = ""
        var isLast = false
        while !isLast {
            let found = try changes(request)
            for (change, token) in zip(found.page.changes, found.tokens) {
                let data = String(decoding: change.json(request.fields), as: UTF8.self)
                text += "event: change\nid: \(token)\ndata: \(data)\n\n"
            }
            request.since = found.page.next
            isLast = !found.page.more
        }
        if !isCurrent { text += "event: ready\nid: \(request.since ?? "")\ndata: {}\n\n" }
        isCurrent = true
        return Array(text.utf8)
    }

    // MARK: Changes of subjects

    /// The change of a subject for a copy of what the request selects; `nil` if there is none.
    ///
    /// - Parameter number: that of the subject's last change; one after `base` may be of something
    ///   that the copy has.
    private func change(
        _ subject: Subject, _ number: Int, _ request: FetchChangesRequest, _ kinds: Set<SyncKind>,
        _ base: Int
    ) -> SyncChange<Article>? {
        let isKnown = number > base
        switch subject {
        case .article(let id) where kinds.contains(.article):
            return change(id, request, base)
        case .author(let id) where kinds.contains(.author) && session != nil,
            .byline(let id) where kinds.contains(.author) && session == nil:
            guard let author = authors[id] else { return nil }
            if sees(id) { return .putAuthor(author) }
            return isKnown ? .deleteAuthor(id, revision: author.revision) : nil
        case .comment(let id) where kinds.contains(.comment):
            guard let comment = comments[id], comment.articleID == request.article else {
                return nil
            }
            if let shown = present(comment, nil) { return .putComment(shown) }
            return isKnown ? .deleteComment(id, revision: comment.revision) : nil
        case .bookmark(let user, let id) where kinds.contains(.bookmark):
            guard user == session?.user.id, let known = bookmarks[user]?[id] else { return nil }
            if !known.isRemoved { return .putBookmark(known.bookmark) }
            return isKnown ? .deleteBookmark(id, revision: known.bookmark.revision) : nil
        default: return nil
        }
    }

    private func change(
        _ id: Article.ID, _ request: FetchChangesRequest, _ base: Int
    ) -> SyncChange<Article>? {
        guard let history = articles[id], let last = history.last else { return nil }
        let query = ArticleQuery(request)
        func isSelected(_ article: Article?) -> Bool {
            sees(article) && article.map(query.matches) ?? false
        }
        if let article = last.article, isSelected(article) {
            return .putArticle(
                present(article, request.fields), revision: last.revision)
        }
        // The states that the copy may have: that at its base, and later ones.
        let first = history.lastIndex { $0.sequence <= base } ?? 0
        let place = history[first...].lastIndex { isSelected($0.article) }
        return place.map { .deleteArticle(id, revision: history[$0 + 1].revision) }
    }

    // MARK: Tokens

    /// Identifies filters, types and audience, but not the attributes and the page size.
    private func list(
        _ request: FetchChangesRequest, _ kinds: Set<SyncKind>
    ) -> StableHash {
        var list = request
        (list.since, list.fields, list.limit, list.types) = (nil, nil, nil, kinds)
        let isPersonal = !kinds.isSubset(of: SyncKind.content)
        let audience = session.map { isPersonal ? "\($0.user.id)" : "editors" } ?? "everyone"
        return StableHash("\(audience) \(RequestPrinter.target(of: list))".utf8)
    }

    /// The position of a token; that of an empty copy without one.
    ///
    /// - Throws: `sync-reset` for a token of another backend, `invalid-token` for one of another
    ///   list.
    private func position(_ token: String?, _ list: StableHash) throws(Problem) -> Position {
        guard let token else { return (0, sequence) }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().prefix(2).compactMap { Int($0) }
        let isToken = parts.count == 4 && numbers.count == 2
        let isOurs = isToken && parts[0] == "\(epoch)"
        guard isOurs, parts[3] == list.text else {
            let isOther = isToken && !isOurs
            let fault =
                isOther
                ? "is from before the database was replaced"
                : "is not a token for these filters, types and credentials"
            throw Problem(
                isOther ? .syncReset : .invalidToken,
                detail: "Discard your copy and sync again without `since`.",
                errors: [.init(fault, at: .parameter("since"))])
        }
        return (numbers[0], numbers[1])
    }
}
