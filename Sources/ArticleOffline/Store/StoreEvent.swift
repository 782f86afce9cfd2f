/// An event in a store that was not requested. See ``ModelStore``.
public enum StoreEvent: Sendable, Hashable {
    /// The file was damaged. It was renamed to `<path>.damaged`, and a new one was begun;
    /// `savedWrites` unsent writes could still be read, and are in the new one.
    case damaged(path: String, reason: String, savedWrites: Int)
    /// A response was not stored. Its request has succeeded nevertheless.
    case notStored(ModelStoreError)
    /// The store could not be read for its observers; the values that they show remain.
    case notRead(ModelStoreError)
}
