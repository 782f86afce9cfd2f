/// What an operator does with a store as a whole while it is in use: examining and copying it.
///
/// A store that keeps its articles in a file conforms; nobody else waits for what is done here.
public protocol StoreMaintenance: Sendable {
    /// Of the store's file, beside which there is room for other files.
    var path: String { get }

    /// Examines the store as of one moment.
    ///
    /// - Throws: `.unavailable` when the store is closed; a corrupt file is in the report.
    func check() async throws(StoreError) -> CheckReport

    /// Opens the empty file at the path for a copy of the store. Once it is open, its name may go.
    ///
    ///     let copy = try store.copy(into: path)
    ///     try await copy.make { progress in print(progress.pages, progress.total) }
    func copy(into path: String) throws(StoreError) -> any StoreCopy
}

/// A copy of a store that can be made once.
public protocol StoreCopy: Sendable {
    /// Copies the store as it is when the copy ends, without holding anybody up for longer than
    /// some pages take.
    ///
    /// - Parameter progress: is told after each step, on the store's own thread.
    /// - Throws: `.full` when the disk is.
    func make(
        progress: @escaping @Sendable (CopyProgress) -> Void
    ) async throws(StoreError)
}

/// How far the copy of a database is.
public struct CopyProgress: Sendable, Hashable {
    /// Copied, of so many in all; a page has 4,096 bytes.
    public var pages: Int
    public var total: Int

    public init(pages: Int, total: Int) {
        self.pages = pages
        self.total = total
    }
}
