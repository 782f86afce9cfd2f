import BroadsheetKit
import Foundation

/// The state of a screen, to be stored in case the system ends the app.
struct SavedScreen: Codable {
    var list: PagedListState<Article, BackendError>
    /// The comment that was being written, with its undo.
    var comment: EditHistory<ArticleComment.Draft>.States
}

/// A list with a field for a comment, as they were when they were left.
@MainActor final class RestoredScreen {
    let list: PagedList<FetchArticlesRequest>
    let comment: EditHistory<ArticleComment.Draft>

    init(_ backend: BackendService, from data: Data?) {
        let saved = data.flatMap { try? JSONDecoder().decode(SavedScreen.self, from: $0) }
        list = PagedList(backend, FetchArticlesRequest(limit: 20), restoring: saved?.list)
        comment = EditHistory(
            restoring: saved?.comment ?? .init(ArticleComment.Draft(body: "")),
            didChange: { _, _ in })
    }

    func save() throws -> Data {
        try JSONEncoder().encode(SavedScreen(list: list.state, comment: comment.states))
    }
}
