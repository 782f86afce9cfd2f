/// The reason why a value could not be stored or read. Nothing of it was stored.
///
/// See ``ModelStore``.
public enum ModelStoreError: Error, Sendable, Hashable {
    /// Models that have to stay (pinned, mirrored, or with unsent writes) take more than
    /// `ModelStore.Limits.bytes`.
    case full
    /// Another process has been writing to the file for too long; try again.
    case busy
    /// A newer version of the app has made the file, with this version of its schema. It was left
    /// as it is.
    case newer(schema: Int)
    /// The file belongs to another account, or to none. It was left as it is.
    case otherAccount
    /// The file is damaged, and cannot be set aside either.
    case damaged(String)
    /// The disk is full or has failed, or the file cannot be opened.
    case disk(String)
}

extension ModelStoreError: CustomStringConvertible {
    /// A description of the failure, for logs and terminals.
    public var description: String {
        switch self {
        case .full: "data that must be kept exceeds the limit of the store"
        case .busy: "another process is writing to the store"
        case .newer(let schema): "the store has schema \(schema) of a newer version of the app"
        case .otherAccount: "the store belongs to another account"
        case .damaged(let reason): "the store is damaged: \(reason)"
        case .disk(let reason): "the store cannot be read or written: \(reason)"
        }
    }
}
