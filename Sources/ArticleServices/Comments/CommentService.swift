import ArticleAPI
import ArticleStore

/// The operations on comments.
struct CommentService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let markdown: MarkdownRenderer
    let rules: CommentRules
    let now: @Sendable () -> Timestamp

    /// How long a page may wait for its comments to be rendered; after that it is cut short.
    private static let patience = Duration.seconds(1)

    func register(on routes: inout Routes) {
        routes.on(FetchCommentsRequest.self, list)
        routes.on(CreateCommentRequest.self, create)
        routes.on(FetchAllCommentsRequest.self, listAll)
        routes.on(FetchCommentRequest.self, fetch)
        routes.on(UpdateCommentRequest.self, update)
        routes.on(DeleteCommentRequest.self, delete)
    }

    // MARK: Reading

    private func list(
        _ request: FetchCommentsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Comment>> {
        let viewer = CommentViewer(caller)
        let sort = request.sort ?? .oldest
        let name = "\(sort.rawValue) comments on \(request.articleID) for \(caller.viewerName)"
        let page = try await cursors.page(of: name, from: request.cursor) { after in
            let query = CommentQuery(
                on: request.articleID, viewer: viewer, sort: sort, after: after,
                limit: request.limit ?? 20)
            return try await complete(store.comments(query), request.fields)
        }
        return Reply(
            page, fields: request.fields, renderer: renderer(of: request.fields),
            dependencies: .comments(page.items, on: request.articleID))
    }

    private func listAll(
        _ request: FetchAllCommentsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Comment>> {
        let sort = request.sort ?? .oldest
        let name = "\(sort.rawValue) comments that are \(request.status?.name ?? "there")"
        let page = try await cursors.page(of: name, from: request.cursor) { after in
            let query = CommentQuery(
                status: request.status, sort: sort, after: after, limit: request.limit ?? 20)
            return try await complete(store.comments(query), request.fields)
        }
        return Reply(page, fields: request.fields, renderer: renderer(of: request.fields))
    }

    private func fetch(
        _ request: FetchCommentRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Comment> {
        do {
            var comment = try await store.comment(
                request.id, visibleTo: CommentViewer(caller))
            let renderer = renderer(of: request.fields)
            if renderer != nil { comment.bodyHTML = try await html(of: comment) }
            return Reply(
                comment, fields: request.fields, renderer: renderer,
                dependencies: .comments([comment], on: comment.articleID))
        } catch { throw ServiceError(error) }
    }

    private func renderer(of fields: FieldSelection?) -> String? {
        BodyHTML.isAskedFor(by: fields) ? MarkdownRenderer.name : nil
    }

    /// The page with the HTML of its comments, if that was requested, cut to the size limit for
    /// pages but to no less than one comment.
    private func complete(
        _ slice: Slice<Comment, CommentPosition>, _ fields: FieldSelection?
    ) async throws(ServiceError) -> Slice<Comment, CommentPosition> {
        guard BodyHTML.isAskedFor(by: fields) else { return slice }
        let start = ContinuousClock.now
        var complete = slice
        complete.items = []
        var bytes = 0
        for var comment in slice.items {
            let isLate = start.duration(to: .now) > Self.patience
            if isLate, !complete.items.isEmpty { break }
            comment.bodyHTML = try await html(of: comment)
            bytes += comment.json(capacity: 4_096).count
            if bytes > ArticleLimits.pageBytes, !complete.items.isEmpty { break }
            complete.items.append(comment)
        }
        if complete.items.count < slice.items.count, let last = complete.items.last {
            complete.next = CommentPosition(createdAt: last.createdAt, id: last.id)
        }
        return complete
    }

    /// `nil` for a text that the renderer rejects, because it is older than its limits.
    private func html(of comment: Comment) async throws(ServiceError) -> String? {
        do throws(ServiceError) {
            return CommentMarkup.marked(try await markdown.render(comment.body).html)
        } catch {
            guard case .invalid = error else { throw error }
            return nil
        }
    }

    // MARK: Writing

    private func create(
        _ request: CreateCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Comment> {
        let draft = request.comment
        let now = now()
        let content = CommentContent(
            article: request.articleID, parent: draft.parentID, body: draft.body,
            writer: try caller.requireUser(), audience: CommentViewer(caller).audience)
        try await check(draft.body)
        do {
            let comment = try await store.createComment(
                draft.id ?? Comment.ID(at: now), content, by: caller.edit(at: now, key)
            ) { situation in
                try rules.status(
                    of: situation, byEditor: caller.audience == .editors, at: now)
            }
            return Reply(comment, location: comment.location)
        } catch { throw ServiceError(error) }
    }

    /// Rejects a text that nobody could read.
    private func check(_ body: String) async throws(ServiceError) {
        try CommentRules.checkText(body)
        _ = try await markdown.render(body)
    }

    private func update(
        _ request: UpdateCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Comment> {
        if case .set(let body) = request.changes.body { try await check(body) }
        let now = now()
        do {
            let comment = try await store.updateComment(
                request.id, expecting: Precondition(request.expected),
                as: CommentViewer(caller), by: caller.edit(at: now, key)
            ) { edition in
                try rules.changed(edition, by: request.changes, caller: caller, at: now)
            }
            return Reply(comment)
        } catch { throw ServiceError(error) }
    }

    private func delete(
        _ request: DeleteCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<NoContent> {
        do {
            try await store.deleteComment(
                request.id, expecting: Precondition(request.expected),
                as: CommentViewer(caller), by: caller.edit(at: now(), key)
            ) { edition in try rules.checkDeletion(edition, by: caller) }
        } catch { throw ServiceError(error) }
        return Reply(NoContent())
    }
}

extension CommentViewer {
    /// Comments are shown to those who see the article: authors see those on their own drafts.
    init(_ caller: Principal) { self.init(audience: caller.audience, user: caller.user) }
}

extension Principal {
    /// Names those who see the same comments, in the description of a list.
    fileprivate var viewerName: String {
        audience == .editors ? audienceName : "\(audienceName) \(user?.description ?? "")"
    }
}

/// What marks links in comments: search engines do not count them.
enum CommentMarkup {
    /// The renderer's HTML, in which `<` only begins tags and comments.
    static func marked(_ html: String) -> String {
        html.replacing("<a href=", with: #"<a rel="nofollow ugc" href="#)
    }
}

extension FetchCommentsRequest: PersonalRequest {}
extension FetchCommentRequest: PersonalRequest {}
