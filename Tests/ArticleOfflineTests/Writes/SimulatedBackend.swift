import ArticleAPI
import ArticleOffline

/// A backend as a value: versions, ids that are taken, and keys that it remembers for 24 hours.
struct SimulatedBackend {
    struct Request: Hashable {
        var account: String
        var key: String
        var article: Article.ID
        var write: PendingWrite
        var expected: String?
    }

    enum Response: Hashable {
        case done(Article?)
        case failed(Problem.Kind)
    }

    /// A write that was carried out.
    struct Applied {
        var account: String
        var article: Article.ID
        var write: PendingWrite
        /// The article that it has changed.
        var before: Article?
    }

    private struct Remembered {
        var request: Request
        var response: Response
        var time: Timestamp
    }

    private(set) var articles: [Article.ID: Article] = [:]
    private(set) var applied: [Applied] = []
    /// Keys that came with different requests.
    private(set) var reusedKeys: [String] = []
    private var revisions: [Article.ID: Int] = [:]
    private var cached: [String: Remembered] = [:]
    /// The first request for which each key was used.
    private var requests: [String: Request] = [:]

    static let memory: Int64 = 24 * 3_600_000

    mutating func handle(_ request: Request, at time: Timestamp) -> Response {
        let scope = "\(request.account) \(request.key)"
        if requests[scope, default: request] != request { reusedKeys.append(scope) }
        requests[scope] = request
        if let known = cached[scope],
            time.milliseconds - known.time.milliseconds < Self.memory
        {
            return known.response
        }
        let before = articles[request.article]
        let response = respond(to: request, at: time)
        cached[scope] = Remembered(request: request, response: response, time: time)
        if case .done = response {
            applied.append(
                Applied(
                    account: request.account, article: request.article, write: request.write,
                    before: before))
        }
        return response
    }

    /// A write by somebody who does not use an outbox.
    mutating func write(_ write: PendingWrite, to id: Article.ID, at time: Timestamp) {
        _ = carryOut(write, on: id, at: time)
    }

    private mutating func respond(to request: Request, at time: Timestamp) -> Response {
        if case .create = request.write {
            guard revisions[request.article] == nil else { return .failed(.idTaken) }
        } else {
            guard let article = articles[request.article] else { return .failed(.notFound) }
            if let expected = request.expected, expected != article.version {
                return .failed(.preconditionFailed)
            }
        }
        return carryOut(request.write, on: request.article, at: time)
    }

    private mutating func carryOut(
        _ write: PendingWrite, on id: Article.ID, at time: Timestamp
    ) -> Response {
        var new: Article?
        switch write {
        case .create(let draft):
            let empty = Article(
                id: id, slug: "slug-\(revisions.count)", title: draft.title, body: "",
                language: "en", status: .draft, createdAt: time, updatedAt: time, wordCount: 0,
                readingMinutes: 0)
            new = empty.applying(Article.Changes(from: empty.draft, to: draft))
        case .update(let changes):
            guard let article = articles[id] else { return .failed(.notFound) }
            guard (try? article.draft(applying: changes)) != nil else {
                return .failed(.invalidValues)
            }
            new = article.applying(changes)
        case .delete: new = nil
        case .request: return .failed(.invalidValues)
        }
        if new?.title.contains("bad") == true { return .failed(.invalidValues) }
        revisions[id, default: 0] += 1
        let revision = revisions[id] ?? 1
        new?.revision = revision
        new?.version = "\(revision)-abcdef"
        new?.updatedAt = time
        articles[id] = new
        return .done(new)
    }
}
