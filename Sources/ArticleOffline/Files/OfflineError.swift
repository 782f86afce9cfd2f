public import ArticleAPI
public import ArticleClient

/// The reason why something could not be stored, read or kept up to date on the device. Nothing of
/// it was stored.
///
/// See ``ModelStore``, ``Outbox`` and ``ArticleMirror``.
public enum OfflineError: Error, Sendable, Hashable {
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
    /// The store is not that of an account, so it cannot be known who may send the write.
    case noAccount
    /// The backend would reject the write; every fault.
    case invalid(InvalidValue)
    /// There are too many writes that were not sent.
    case tooManyWrites
    /// The write does not exist, or no longer needs this decision.
    case noSuchWrite
    /// A mirror has stopped: its task was cancelled, the session has ended or belongs to another
    /// account than the store, or the backend has rejected a request that repeating cannot fix.
    case backend(BackendError)
}

extension OfflineError: CustomStringConvertible {
    /// A description of the failure, for logs and terminals.
    public var description: String {
        switch self {
        case .full: "data that must be kept exceeds the limit of the store"
        case .busy: "another process is writing to the store"
        case .newer(let schema): "the store has schema \(schema) of a newer version of the app"
        case .otherAccount: "the store belongs to another account"
        case .damaged(let reason): "the store is damaged: \(reason)"
        case .disk(let reason): "the store cannot be read or written: \(reason)"
        case .noAccount: "the store belongs to no account, so that nobody can send the write"
        case .invalid(let value):
            "the write is not valid: "
                + value.faults.map { "\($0.path) \($0.message)" }.joined(separator: ", ")
        case .tooManyWrites: "too many writes were not sent yet"
        case .noSuchWrite: "the write does not exist, or needs no decision"
        case .backend(let error): error.description
        }
    }
}
