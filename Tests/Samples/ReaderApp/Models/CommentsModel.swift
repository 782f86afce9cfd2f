import BroadsheetKit
import Observation

/// The comments on an article, each followed by its replies, with those that were not sent yet.
@MainActor @Observable final class CommentsModel {
    let article: Article.ID
    private(set) var comments: [CachedComment] = []
    private(set) var writingProblem: ErrorText?
    /// The comment that is being written …
    var text = ""
    /// … and the one that it replies to.
    var parent: ArticleComment?
    private let pages: PagedList<FetchCommentsRequest>
    private let library: LibraryModel

    init(on article: Article.ID, in library: LibraryModel) {
        self.article = article
        self.library = library
        pages = PagedList(
            library.offline.backend, FetchCommentsRequest(articleID: article, limit: 50))
    }

    var isLoading: Bool { pages.isLoading }
    var readingProblem: ErrorText? { pages.error.flatMap { ErrorText(ifShown: $0) } }
    var canWrite: Bool { library.account != nil }
    var canSend: Bool { canWrite && text.contains { !$0.isWhitespace } }

    /// Follows the library, while its task runs.
    func follow() async {
        for await found in library.offline.store.comments(on: article, limit: 1_000) {
            comments = found.filter { $0.comment.parentID == nil }.flatMap { first in
                [first] + found.filter { $0.comment.parentID == first.id }
            }
        }
    }

    func refresh() async { await pages.refresh() }

    func didAppear(_ comment: CachedComment) async {
        await pages.itemDidAppear(comment.comment)
    }

    /// Writes the comment, which shows at once and is sent as soon as that is possible.
    func send() async {
        guard canSend else { return }
        // A reply has no replies: what answers it belongs to the same comment.
        let draft = ArticleComment.Draft(parentID: parent?.parentID ?? parent?.id, body: text)
        do {
            try await library.offline.outbox.send(
                CreateCommentRequest(articleID: article, comment: draft))
            (text, parent, writingProblem) = ("", nil, nil)
        } catch { writingProblem = ErrorText(ifShown: error, for: .comment) }
    }

    /// Sends a comment again that the backend did not accept.
    func sendAgain(_ comment: CachedComment) async {
        await decide(on: comment) { outbox, number in try await outbox.sendAgain(number) }
    }

    /// Takes a comment back that was not sent.
    func discard(_ comment: CachedComment) async {
        await decide(on: comment) { outbox, number in try await outbox.discard(number) }
    }

    private func decide(
        on comment: CachedComment, _ decision: @MainActor (Outbox, Int) async throws -> Void
    ) async {
        let write = library.writes.first {
            $0.request(as: CreateCommentRequest.self)?.comment.id == comment.id
        }
        guard let write else { return }
        do {
            try await decision(library.offline.outbox, write.number)
            writingProblem = nil
        } catch { writingProblem = ErrorText(ifShown: error, for: .comment) }
    }
}
