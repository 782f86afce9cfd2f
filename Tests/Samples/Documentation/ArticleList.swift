import BroadsheetKit

/// A list of articles in sections by day, which redraws only what has changed.
@MainActor final class ArticleList {
    typealias Rows = Snapshot<ArticleSection, Article>

    private(set) var rows = Rows()
    private let secondsFromGMT: (Timestamp) -> Int
    private let redraw: ([Rows.Difference.Step]) -> Void
    private var list: PagedList<FetchArticlesRequest>?

    init(
        _ backend: BackendService, secondsFromGMT: @escaping (Timestamp) -> Int,
        redraw: @escaping ([Rows.Difference.Step]) -> Void
    ) {
        self.secondsFromGMT = secondsFromGMT
        self.redraw = redraw
        list = PagedList(backend, FetchArticlesRequest(limit: 20)) { [unowned self] _, new in
            show(new.items)
        }
    }

    /// Pull to refresh.
    func refresh() async { await list?.refresh() }

    /// Called when the last rows appear.
    func more() async { await list?.more() }

    private func show(_ articles: [Article]) {
        let new = Rows(byDay: articles, secondsFromGMT: secondsFromGMT)
        let steps = new.difference(from: rows).steps
        rows = new
        if !steps.isEmpty { redraw(steps) }
    }
}
