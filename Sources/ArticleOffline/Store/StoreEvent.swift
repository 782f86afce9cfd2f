/// What happens in a store besides what was asked for. See ``ModelStore``.
public enum StoreEvent: Sendable, Hashable {
    /// The file was damaged. It was renamed to `<path>.damaged`, and a new one was begun; so many
    /// unsent writes could still be read, and are in the new one.
    case damaged(path: String, reason: String, savedWrites: Int)
    /// A response was not stored. Its request has succeeded nevertheless.
    case notStored(ModelStoreError)
    /// The store could not be read for those who observe it; what they show remains.
    case notRead(ModelStoreError)
}
