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
            switch entry.write {
            case .create(let draft):
                article = try await backend.sendOnce(
                    CreateArticleRequest(article: draft, idempotencyKey: entry.key),
                    as: entry.account)
            case .update(let changes):
                article = try await backend.sendOnce(
                    UpdateArticleRequest(
                        id: entry.article, expected: expected, changes: changes,
                        idempotencyKey: entry.key),
                    as: entry.account)
            case .delete:
                _ = try await backend.sendOnce(
                    DeleteArticleRequest(
                        id: entry.article, expected: expected, idempotencyKey: entry.key),
                    as: entry.account)
                let ending = ModelUpdate.RemovalReason.deleted(
                    from: entry.base?.revision, seenAt: sentAt)
                return OutboxDelivery(
                    outcome: .applied(nil), updates: [.removed(Article.self, entry.article, ending)]
                )
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
        case (400..<500, _): return OutboxDelivery(outcome: .rejected(problem))
        default: return OutboxDelivery(outcome: .noResponse)
        }
    }

    /// The article as the backend has it now.
    private func theirs(_ entry: OutboxEntry) async -> OutboxDelivery {
        let sentAt = store.time()
        do throws(BackendError) {
            let article = try await backend.sendOnce(
                FetchArticleRequest(key: .id(entry.article)), as: entry.account,
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
                outcome: .changed(theirs: nil),
                updates: [.removed(Article.self, entry.article, ending)])
        }
    }
}

extension StoreChanges {
    /// Creates the changes to the store that a change of the outbox requires.
    init(_ edit: OutboxQueue.Edit, updates: [ModelUpdate]) {
        self.init(
            updates: updates,
            writes: edit.stored.map {
                StoredWrite(number: $0.number, article: $0.article, entry: $0.json())
            },
            finishedWrites: edit.removed.map(\.number))
    }
}
