public import ArticleAPI
package import ArticleResources
package import ArticleServiceCore
public import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Removes texts for good, at the wish of an admin, who gives a reason.
package struct PurgeService: Sendable {
    private let purger: Purger
    private let indexer: SearchIndexer
    private let responses: PublicResponseCache
    private let system: SystemEnvironment
    private let log: @Sendable (String) -> Void

    /// - Parameter log: receives the subject, the actor and the reason of each purge.
    package init(
        _ purger: Purger, indexer: SearchIndexer, responses: PublicResponseCache,
        system: SystemEnvironment, log: @escaping @Sendable (String) -> Void
    ) {
        self.purger = purger
        self.indexer = indexer
        self.responses = responses
        self.system = system
        self.log = log
    }

    package func purge(
        _ request: PurgeRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<PurgeCounts> {
        let purge = request.purge
        guard purge.revisions?.isEmpty != true else {
            throw .invalidValue("/revisions", "must have a number or be omitted")
        }
        var isRemoved = false
        do throws(StoreError) {
            let counts = try await purger.purge(
                purge.article, revisions: purge.revisions ?? [],
                by: caller.edit(at: system.now, nil)
            ) { counts in
                isRemoved = true
                log(purge.line(counts, by: caller))
                // Slugs of revisions lead nowhere any more, which is no change of the article.
                responses.cache.invalidate([.article(purge.article)])
                // It is not told of a commit without a change.
                indexer.wake()
            }
            return Reply(counts)
        } catch {
            if isRemoved { throw .purgeIncomplete(cause: error.reason) }
            if case .conflict(let text) = error { throw .invalidValue("/revisions", text) }
            throw ServiceError(error)
        }
    }
}

/// `POST /v1/admin/purge`: removes an article or revisions for good.
public struct PurgeRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/purge", name: "purge",
        summary: "Removes an article or revisions for good", access: .administer,
        problems: [.notFound])
    public typealias Item = PurgeCounts

    public static let parameters = Parameters(Self.init, .body(\.purge))

    public var purge: Purge

    public init(purge: Purge) { self.purge = purge }
}

/// The revisions to remove, and the reason.
public struct Purge: Sendable, Hashable {
    public var article: Article.ID
    /// The numbers of revisions; `nil` for the whole article.
    public var revisions: [Int]?
    /// The reason for the log; it should not quote the removed text.
    public var reason: String

    /// Numbers of revisions in one request.
    public static let limitRevisions = 1_000
    /// Characters of a reason.
    public static let limitReason = 500

    public init(article: Article.ID, revisions: [Int]?, reason: String) {
        self.article = article
        self.revisions = revisions
        self.reason = reason
    }

    /// The line in the log.
    fileprivate func line(_ counts: PurgeCounts, by caller: Principal) -> String {
        let numbers = revisions?.map(String.init).joined(separator: ", ")
        let what = (numbers.map { "revisions \($0) of " } ?? "") + "article \(article)"
        var who: [String] = []
        if let user = caller.user { who.append("user \(user)") }
        if let key = caller.account, caller.kind != .session { who.append("key \(key)") }
        return "purged \(what) (\(counts.revisions.counted("revision")), "
            + "\(counts.comments.counted("comment"))) by "
            + "\(who.joined(separator: " with ")): \(reason)"
    }
}

extension Purge: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("articleID", \.article, .identifier()),
        .optional(
            "revisions", \.revisions,
            .array(of: .integer(1...1_000_000), limit: Purge.limitRevisions)),
        .required("reason", \.reason, .text(.line(1...Purge.limitReason))))
}

extension PurgeCounts: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("revisions", \.revisions, .integer(0...Int.max)),
        .required("comments", \.comments, .integer(0...Int.max)))
}
