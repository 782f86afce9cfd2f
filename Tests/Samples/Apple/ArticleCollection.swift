import BroadsheetKit

#if canImport(UIKit) && !os(watchOS)
    import UIKit

    /// A collection view that changes only what is different.
    @MainActor final class ArticleCollection {
        typealias Rows = Snapshot<ArticleSection, Article>

        let view: UICollectionView
        /// The content of the data source.
        private(set) var rows = Rows()

        init(_ view: UICollectionView) { self.view = view }

        func show(_ new: Rows) {
            view.apply(new, from: rows) { [weak self] in self?.rows = $0 }
        }

        /// The same for a diffable data source: `dataSource.apply(ids, animatingDifferences: true)`
        func ids(showing new: Rows)
            -> NSDiffableDataSourceSnapshot<ArticleSection.ID, Article.ID>
        {
            defer { rows = new }
            return NSDiffableDataSourceSnapshot(new, from: rows)
        }
    }
#endif
