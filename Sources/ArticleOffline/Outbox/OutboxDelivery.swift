import ArticleAPI
import ArticleClient
import BroadsheetHTTP

/// The outcome of an attempt, and the updates from its responses.
struct OutboxDelivery {
    var outcome: OutboxQueue.Outcome
    var updates: [ModelUpdate] = []
    /// The delay for which the response asks before another attempt.
    var retryAfter: Duration?
    /// True if the backend is still processing an earlier attempt.
    var isInFlight = false
}

/// The requests for writes, and the meaning of their responses.
extension Outbox {
    /// Sends a write, whose attempt was stored.
    func deliver(_ entry: OutboxEntry) async -> OutboxDelivery {
        let sentAt = store.time()
        let expected = entry.base?.version.flatMap { IfMatch(version: $0) }
        do throws(BackendError) {
            let article: Article
            switch (entry.write, entry.article) {
            case (.create(let draft), _?):
                article = try await backend.sendOnce(
                    CreateArticleRequest(article: draft, idempotencyKey: entry.key),
                    as: entry.account)
            case (.update(let changes), let id?):
                article = try await backend.sendOnce(
                    UpdateArticleRequest(
                        id: id, expected: expected, changes: changes,
                        idempotencyKey: entry.key),
                    as: entry.account)
            case (.delete, let id?):
                _ = try await backend.sendOnce(
                    DeleteArticleRequest(
                        id: id, expected: expected, idempotencyKey: entry.key),
                    as: entry.account)
                let ending = ModelUpdate.RemovalReason.deleted(
                    from: entry.base?.revision, seenAt: sentAt)
                return OutboxDelivery(
                    outcome: .applied(nil), updates: [.removed(Article.self, id, ending)])
            case (.request(let request), _):
                return try await deliver(request, of: entry, sentAt: sentAt)
            case (_, nil): return Self.unreadable
            }
            return OutboxDelivery(
                outcome: .applied(article), updates: [Self.updates(article, seenAt: sentAt)])
        } catch {
            var delivery = await delivery(of: entry, after: error)
            delivery.retryAfter = error.retryAfter
            delivery.isInFlight = error.problem?.kind == .requestInFlight
            return delivery
        }
    }

    /// The outcome of a stored write that cannot be read, such as an edit without its article.
    private static let unreadable = OutboxDelivery(
        outcome: .rejected(Problem(type: "about:blank", title: "", status: 0)))

    private func deliver(
        _ request: PendingRequest, of entry: OutboxEntry, sentAt time: Timestamp
    ) async throws(BackendError) -> OutboxDelivery {
        guard let printed = request.printed(key: entry.key),
            let success = HTTPStatus(request.success)
        else { return Self.unreadable }
        let bytes = try await backend.sendOnce(
            printed, success: success, mediaType: request.mediaType, as: entry.account)
        return OutboxDelivery(
            outcome: .applied(nil),
            updates: types.updates(of: entry, responding: bytes, seenAt: time))
    }

    private static func updates(_ article: Article, seenAt time: Timestamp) -> ModelUpdate {
        .facts(ModelFacts(article, knowing: .inArticles, seenAt: time))
    }

    /// Returns the meaning of an error for the write.
    private func delivery(
        of entry: OutboxEntry, after error: BackendError
    ) async -> OutboxDelivery {
        switch error {
        case .problem(let problem) where problem.status == 429:
            return OutboxDelivery(outcome: .notSent)
        case .problem where error.isTransient: return OutboxDelivery(outcome: .noResponse)
        case .problem(let problem): return await delivery(of: entry, rejectedWith: problem)
        case .offline, .unauthorized, .signInRejected: return OutboxDelivery(outcome: .notSent)
        case .transport(let failure):
            switch failure.kind {
            case .insecure, .overloaded, .unsupported, .credentials:
                return OutboxDelivery(outcome: .notSent)
            case .disconnected, .malformed, .foreign, .tooLarge, .redirected:
                return OutboxDelivery(outcome: .noResponse)
            }
        case .signedOut, .mapping, .cancelled, .superseded, .timedOut, .notCached:
            return OutboxDelivery(outcome: .noResponse)
        }
    }

    private func delivery(
        of entry: OutboxEntry, rejectedWith problem: Problem
    ) async -> OutboxDelivery {
        switch (problem.status, entry.write) {
        case (412, .update), (412, .delete), (404, .update), (404, .delete), (410, .update),
            (410, .delete):
            return await theirs(entry)
        case (409, .create) where problem.kind == .idTaken:
            // It may have been created by an attempt whose response was lost.
            let found = await theirs(entry)
            guard case .changed(theirs: nil) = found.outcome else { return found }
            return OutboxDelivery(outcome: .rejected(problem))
        case (404, .request(let request)), (410, .request(let request)):
            // What was to be deleted is gone, by an attempt whose response was lost or otherwise.
            let isDone = request.method == HTTPMethod.delete.rawValue
            return OutboxDelivery(
                outcome: isDone ? .applied(nil) : .rejected(problem),
                updates: await types.updatesForMissing(entry, in: store, seenAt: store.time()))
        case (409, .request) where problem.kind == .idTaken || problem.kind == .repeatedComment:
            return await created(entry) ?? OutboxDelivery(outcome: .rejected(problem))
        case (400..<500, _): return OutboxDelivery(outcome: .rejected(problem))
        default: return OutboxDelivery(outcome: .noResponse)
        }
    }

    /// The outcome of a comment that was created by an attempt whose response was lost, and whose
    /// key the backend has forgotten; `nil` if it was not.
    private func created(_ entry: OutboxEntry) async -> OutboxDelivery? {
        guard let id = entry.request(as: CreateCommentRequest.self)?.comment.id else { return nil }
        let sentAt = store.time()
        do throws(BackendError) {
            let request = FetchCommentRequest(id: id)
            let comment = try await backend.sendOnce(
                request, as: entry.account, options: RequestOptions(freshness: .reloaded))
            return OutboxDelivery(
                outcome: .applied(nil), updates: request.updates(in: comment, seenAt: sentAt))
        } catch {
            // Otherwise the write gets the same response again, and then this is asked again.
            return error.problem == nil ? OutboxDelivery(outcome: .noResponse) : nil
        }
    }

    /// The article as the backend has it now.
    private func theirs(_ entry: OutboxEntry) async -> OutboxDelivery {
        guard let id = entry.article else { return Self.unreadable }
        let sentAt = store.time()
        do throws(BackendError) {
            let article = try await backend.sendOnce(
                FetchArticleRequest(key: .id(id)), as: entry.account,
                options: RequestOptions(freshness: .reloaded))
            return OutboxDelivery(
                outcome: .changed(theirs: article), updates: [Self.updates(article, seenAt: sentAt)]
            )
        } catch {
            guard let status = error.problem?.status, [404, 410].contains(status) else {
                // The write gets the same response again, and then this is asked again.
                return OutboxDelivery(outcome: .noResponse)
            }
            let ending = ModelUpdate.RemovalReason.notFound(seenAt: sentAt)
            return OutboxDelivery(
                outcome: .changed(theirs: nil), updates: [.removed(Article.self, id, ending)])
        }
    }
}

extension StoreChanges {
    /// Creates the changes to the store that a change of the outbox requires.
    init(_ edit: OutboxQueue.Edit, updates: [ModelUpdate]) {
        self.init(
            updates: updates,
            writes: edit.stored.map {
                StoredWrite(
                    number: $0.number, article: $0.article, isEdit: $0.isEdit, entry: $0.json())
            },
            finishedWrites: edit.removed.map(\.number))
    }
}
