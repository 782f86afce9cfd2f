package import ArticleAPI
import ArticleAccounts
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetPlatform

/// The operations on comments.
package struct CommentService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let renderer: CommentRenderer
    let rules: CommentRules
    let edits: WriteThrottle
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, cursors: CursorSealer, renderers: MarkdownRenderers,
        rules: CommentRules, system: SystemEnvironment
    ) {
        self.store = store
        self.cursors = cursors
        renderer = CommentRenderer(renderers.comments)
        self.rules = rules
        edits = WriteThrottle(perMinute: rules.editsPerMinute, system: system)
        self.system = system
    }

    /// Comments waiting to be rendered as HTML.
    package var waitingRenderings: Int { renderer.waiting }

    /// The maximum time for which a page waits for its comments to be rendered; after that it is
    /// cut short.
    private static let patience = Duration.seconds(1)

    // MARK: Reading

    package func list(
        _ request: FetchCommentsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<ArticleComment>> {
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
            page, fields: request.fields, renderer: Self.renderer(of: request.fields),
            dependencies: .comments(page.items, on: request.articleID))
    }

    package func listAll(
        _ request: FetchAllCommentsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<ArticleComment>> {
        let sort = request.sort ?? .oldest
        let writer = request.author.map { "by \($0)" } ?? "by all"
        let name =
            "\(sort.rawValue) comments \(writer) that are \(request.status?.name ?? "there")"
        let page = try await cursors.page(of: name, from: request.cursor) { after in
            let query = CommentQuery(
                status: request.status, by: request.author, sort: sort, after: after,
                limit: request.limit ?? 20)
            return try await complete(store.comments(query), request.fields)
        }
        return Reply(page, fields: request.fields, renderer: Self.renderer(of: request.fields))
    }

    package func fetch(
        _ request: FetchCommentRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ArticleComment> {
        do {
            var comment = try await store.comment(
                request.id, visibleTo: CommentViewer(caller))
            if BodyHTML.isAskedFor(by: request.fields) {
                comment = try await withHTML([comment])[0]
            }
            return Reply(
                comment, fields: request.fields, renderer: Self.renderer(of: request.fields),
                dependencies: .comments([comment], on: comment.articleID))
        } catch { throw ServiceError(error) }
    }

    private static func renderer(of fields: FieldSelection?) -> String? {
        BodyHTML.isAskedFor(by: fields) ? CommentMarkup.renderer : nil
    }

    /// The page with the HTML of its comments, if that was requested, cut to the size limit for
    /// pages but to no less than one comment.
    private func complete(
        _ slice: Slice<ArticleComment, CommentPosition>, _ fields: FieldSelection?
    ) async throws -> Slice<ArticleComment, CommentPosition> {
        guard BodyHTML.isAskedFor(by: fields) else { return slice }
        var complete = slice
        complete.items = []
        var bytes = 0
        for comment in try await withHTML(slice.items) {
            bytes += comment.json(capacity: 4_096).count
            if bytes > ArticleLimits.pageBytes, !complete.items.isEmpty { break }
            complete.items.append(comment)
        }
        if complete.items.count < slice.items.count, let last = complete.items.last {
            complete.next = CommentPosition(createdAt: last.createdAt, id: last.id)
        }
        return complete
    }

    /// Comments with their HTML, cut short when first-time rendering takes too long.
    private func withHTML(_ comments: [ArticleComment]) async throws -> [ArticleComment] {
        let kept = try await store.bodyHTML(of: comments, by: CommentMarkup.renderer)
        let start = system.uptime
        var complete: [ArticleComment] = []
        for (var comment, kept) in zip(comments, kept) {
            if comment.body.isEmpty {
                // Only its place is left.
                comment.bodyHTML = ""
            } else if let kept {
                comment.bodyHTML = kept.html
            } else {
                if !complete.isEmpty, system.uptime - start > Self.patience { break }
                let html = try await renderer.renderOld(comment.body)
                comment.bodyHTML = html.html
                // If it cannot be stored, it is rendered again for the next reader.
                try? await store.keepBodyHTML(html, of: comment)
            }
            complete.append(comment)
        }
        return complete
    }

    // MARK: Writing

    package func create(
        _ request: CreateCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<ArticleComment> {
        let draft = request.comment
        let now = system.now
        let id = draft.id ?? system.newID(at: now)
        let isEditor = caller.audience == .editors
        var content = CommentContent(
            article: request.articleID, parent: draft.parentID, body: draft.body,
            writer: try caller.requireUser(), audience: CommentViewer(caller).audience)
        do {
            try CommentRules.checkText(draft.body)
            // Rendering is expensive: a comment that would be rejected is not rendered.
            let commentContext = try await store.commentContext(of: content, as: id, at: now)
            _ = try rules.status(of: commentContext, byEditor: isEditor, at: now)
            content.bodyHTML = try await renderer.render(draft.body, for: caller.fairShare)
            let comment = try await store.createComment(
                id, content, under: rules, by: caller.edit(at: now, key))
            return Reply(comment, location: comment.location)
        } catch { throw ServiceError(error) }
    }

    package func update(
        _ request: UpdateCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<ArticleComment> {
        let now = system.now
        do {
            if case .set(let body) = request.changes.body {
                try CommentRules.checkText(body)
                if let user = caller.user { try edits.take(user) }
            }
            let html = try await html(of: request, by: caller, at: now)
            let comment = try await store.updateComment(
                request.id, request.changes, html: html, under: rules,
                expecting: Precondition(request.expected), as: CommentViewer(caller),
                by: caller.edit(at: now, key))
            return Reply(comment)
        } catch StoreError.notEditor {
            throw .forbidden(needed: .editor, has: caller.role ?? .reader)
        } catch { throw ServiceError(error) }
    }

    /// The new body, if the change is allowed.
    private func html(
        of request: UpdateCommentRequest, by caller: Principal, at now: Timestamp
    ) async throws -> BodyHTML? {
        guard case .set(let body) = request.changes.body else { return nil }
        let viewer = CommentViewer(caller)
        let edition = try await store.edition(
            of: request.id, expecting: Precondition(request.expected), as: viewer)
        _ = try rules.changed(edition, by: request.changes, as: viewer, at: now)
        guard body != edition.comment.body else { return nil }
        return try await renderer.render(body, for: caller.fairShare)
    }

    package func delete(
        _ request: DeleteCommentRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<NoContent> {
        do {
            try await store.deleteComment(
                request.id, expecting: Precondition(request.expected),
                as: CommentViewer(caller), by: caller.edit(at: system.now, key))
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

extension FetchCommentsRequest: PersonalRequest {}
extension FetchCommentRequest: PersonalRequest {}
