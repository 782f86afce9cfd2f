/// Is notified of changes as they become visible, in commit order. It must be quick, as writers
/// wait for it.
public protocol ChangeObserver: AnyObject, Sendable {
    /// These changes are about to be committed: they are not visible yet.
    func willCommit(_ changes: PendingChanges)

    /// All changes up to this number are visible to new reads. Called before their writers are
    /// resumed.
    func didCommit(through sequence: Int64)

    /// The commit failed: the changes announced by `willCommit` were rolled back, and this number
    /// is the last.
    func didNotCommit(beyond sequence: Int64)
}

/// The changes of a commit that is about to happen.
public struct PendingChanges: Sendable, Hashable {
    /// The number of the last change.
    public var sequence: Int64
    /// The changes in order; `nil` if there are too many to list.
    public var records: [ChangeRecord]?

    public init(sequence: Int64, records: [ChangeRecord]?) {
        self.sequence = sequence
        self.records = records
    }
}
