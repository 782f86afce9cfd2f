#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension UICollectionView {
        /// Changes what the view shows, batch by batch, with animations.
        ///
        /// `collectionView.apply(new, from: shown) { shown = $0 }`
        ///
        /// - Parameters:
        ///   - snapshot: the content to show.
        ///   - old: the content that is shown.
        ///   - show: receives what the data source has from now on; called for each batch. A view
        ///     that is in no window gets everything at once.
        public func apply<Section, Item>(
            _ snapshot: Snapshot<Section, Item>, from old: Snapshot<Section, Item>,
            show: @escaping (Snapshot<Section, Item>) -> Void
        ) {
            guard window != nil else {
                show(snapshot)
                return reloadData()
            }
            for batch in snapshot.batches(from: old) {
                performBatchUpdates {
                    show(batch.snapshot)
                    for step in batch.difference.steps { self.perform(step) }
                }
            }
        }

        private func perform<Section, Item>(_ step: Snapshot<Section, Item>.Difference.Step) {
            switch step {
            case .updateSection(_, let section): reloadSections([section])
            case .updateItem(_, let place): reconfigureItems(at: [place.itemPath])
            case .removeItem(let place): deleteItems(at: [place.itemPath])
            case .removeSection(let section): deleteSections([section])
            case .insertSection(_, let section): insertSections([section])
            case .moveSection(let start, let end): moveSection(start, toSection: end)
            case .insertItem(_, let place): insertItems(at: [place.itemPath])
            case .moveItem(let start, let end): moveItem(at: start.itemPath, to: end.itemPath)
            }
        }
    }

    extension UITableView {
        /// Changes what the view shows, batch by batch; see
        /// `UICollectionView.apply(_:from:show:)`.
        ///
        /// - Parameters:
        ///   - snapshot: the content to show.
        ///   - old: the content that is shown.
        ///   - animation: the animation of rows and sections that come and go.
        ///   - show: receives what the data source has from now on; called for each batch.
        public func apply<Section, Item>(
            _ snapshot: Snapshot<Section, Item>, from old: Snapshot<Section, Item>,
            with animation: RowAnimation = .automatic,
            show: @escaping (Snapshot<Section, Item>) -> Void
        ) {
            guard window != nil else {
                show(snapshot)
                return reloadData()
            }
            for batch in snapshot.batches(from: old) {
                performBatchUpdates {
                    show(batch.snapshot)
                    for step in batch.difference.steps { self.perform(step, with: animation) }
                }
            }
        }

        private func perform<Section, Item>(
            _ step: Snapshot<Section, Item>.Difference.Step, with animation: RowAnimation
        ) {
            switch step {
            case .updateSection(_, let section): reloadSections([section], with: .none)
            case .updateItem(_, let place): reconfigureRows(at: [place.rowPath])
            case .removeItem(let place): deleteRows(at: [place.rowPath], with: animation)
            case .removeSection(let section): deleteSections([section], with: animation)
            case .insertSection(_, let section): insertSections([section], with: animation)
            case .moveSection(let start, let end): moveSection(start, toSection: end)
            case .insertItem(_, let place): insertRows(at: [place.rowPath], with: animation)
            case .moveItem(let start, let end): moveRow(at: start.rowPath, to: end.rowPath)
            }
        }
    }

    extension Snapshot.Place {
        /// The path of an item of a collection view.
        public var itemPath: IndexPath { IndexPath(item: item, section: section) }
        /// The path of a row of a table view.
        public var rowPath: IndexPath { IndexPath(row: item, section: section) }
    }

    extension NSDiffableDataSourceSnapshot {
        /// The ids of a snapshot, for `dataSource.apply(_:animatingDifferences:)`.
        ///
        /// - Parameters:
        ///   - snapshot: the content to show; the cell provider gets items from it by their ids.
        ///   - old: the content that is shown; what has changed since is reconfigured. `nil` at
        ///     first.
        public init<Section, Item>(
            _ snapshot: Snapshot<Section, Item>, from old: Snapshot<Section, Item>?
        ) where Section.ID == SectionIdentifierType, Item.ID == ItemIdentifierType {
            self.init()
            appendSections(snapshot.groups.map(\.id))
            for group in snapshot.groups {
                appendItems(group.items.map(\.id), toSection: group.id)
            }
            guard let (sections, items) = old.map({ snapshot.changed(from: $0) }) else { return }
            reloadSections(sections)
            reconfigureItems(items)
        }
    }
#endif
