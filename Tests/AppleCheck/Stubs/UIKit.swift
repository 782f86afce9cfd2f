@_exported import Foundation

#if !os(watchOS)
    @MainActor open class UIView {
        public init() {}
        public var window: UIWindow? { nil }
    }

    public struct UITextContentType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let username = UITextContentType(rawValue: "username")
        public static let password = UITextContentType(rawValue: "password")
    }

    @MainActor open class UIWindow: UIView {}

    extension IndexPath {
        public init(item: Int, section: Int) { self.init() }
        public init(row: Int, section: Int) { self.init() }
    }

    @MainActor open class UICollectionView: UIView {
        open func reloadData() {}
        open func performBatchUpdates(
            _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
        ) {}
        open func reloadSections(_ sections: IndexSet) {}
        open func deleteSections(_ sections: IndexSet) {}
        open func insertSections(_ sections: IndexSet) {}
        open func moveSection(_ section: Int, toSection newSection: Int) {}
        open func reconfigureItems(at indexPaths: [IndexPath]) {}
        open func deleteItems(at indexPaths: [IndexPath]) {}
        open func insertItems(at indexPaths: [IndexPath]) {}
        open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    }

    @MainActor open class UITableView: UIView {
        public enum RowAnimation: Int, Sendable {
            case fade, right, left, top, bottom, none, middle
            case automatic = 100
        }

        open func reloadData() {}
        open func performBatchUpdates(
            _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
        ) {}
        open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
        open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {}
        open func insertSections(_ sections: IndexSet, with animation: RowAnimation) {}
        open func moveSection(_ section: Int, toSection newSection: Int) {}
        open func reconfigureRows(at indexPaths: [IndexPath]) {}
        open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
        open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
        open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    }

    public struct NSDiffableDataSourceSnapshot<
        SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
    >: @unchecked Sendable {  // Apple's is documented so.
        public init() {}
        public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
        public mutating func appendItems(
            _ identifiers: [ItemIdentifierType], toSection: SectionIdentifierType? = nil
        ) {}
        public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {}
        public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {}
    }
#endif
