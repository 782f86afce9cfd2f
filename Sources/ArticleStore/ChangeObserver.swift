/// Is told of changes as they become visible, in the order of their commits. Writers wait for it:
/// it must be quick.
public protocol ChangeObserver: AnyObject, Sendable {
    /// These changes are about to be committed: nobody sees them yet, and soon everyone does.
    func willCommit(_ changes: PendingChanges)

    /// Whoever begins to read now sees all changes up to this number. Told before any of their
    /// writers is answered.
    func didCommit(through sequence: Int64)

    /// The commit failed: what `willCommit` told did not come to be, and this number is the last.
    func didNotCommit(beyond sequence: Int64)
}

/// The changes of a commit before it is one.
public struct PendingChanges: Sendable, Hashable {
    /// The number of the last.
    public var sequence: Int64
    /// In their order; `nil` where there are too many to tell one by one.
    public var records: [ChangeRecord]?

    public init(sequence: Int64, records: [ChangeRecord]?) {
        self.sequence = sequence
        self.records = records
    }
}
