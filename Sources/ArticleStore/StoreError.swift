public import ArticleAPI

/// Why a store did not do what it was asked. Nothing was changed, whatever the case.
public enum StoreError: Error, Sendable {
    case notFound
    /// The state was not the expected one; the revision that stands, `nil` if there is none.
    case preconditionFailed(current: Int?)
    case idTaken
    case slugTaken(String)
    /// No author has this id; `index` is the place in the article's by-line.
    case unknownAuthor(index: Int, Author.ID)
    /// The author has another name than the mention says.
    case authorDiffers(index: Int, name: String)
    /// This very write was done by somebody else meanwhile; nothing was done now.
    case repeated
    /// Another write was done under the same key.
    case keyReused
    /// A record to restore differs from what is there.
    case conflict(String)
    /// A limit on the number of things is reached.
    case tooMany(String)
    /// The caller's own change was refused by its own rule.
    case rejected(any Error)
    /// The queue is full: try again after some seconds. Nothing was queued.
    case busy
    /// No room on the disk; reads go on.
    case full
    /// Input or output failed, or the store is closed. The text is for the log only.
    case unavailable(String)
    /// The file contradicts itself. The text is for the log only.
    case corrupt(String)
}

/// Why a store could not be opened. The description is one line for the operator.
public enum StoreOpeningError: Error, Sendable, CustomStringConvertible {
    /// Another process owns the file.
    case owned(path: String)
    /// The file's schema is of a newer version; it was not touched.
    case newer(path: String, version: Int, known: Int)
    /// The file's schema is of an older version, which serving it brings up to date.
    case older(path: String, version: Int)
    /// It is a file of another kind.
    case foreign(path: String)
    /// Its first start was cut short: nothing was ever kept in it.
    case unfinished(path: String)
    case missing(path: String)
    /// The engine cannot make sense of it.
    case damaged(path: String, reason: String)
    /// The disk that takes a copy is full.
    case noRoom
    case failed(path: String, reason: String)

    public var description: String {
        switch self {
        case .owned(let path):
            "\(path) is being served or used by another broadsheet; stop it first"
        case .newer(let path, let version, let known):
            "\(path) has schema version \(version), this broadsheet knows up to \(known); "
                + "use a newer broadsheet (the file was not touched)"
        case .older(let path, let version):
            "\(path) has schema version \(version), of an older broadsheet; serve it once"
        case .foreign(let path): "\(path) is not a broadsheet database"
        case .unfinished(let path):
            "\(path) holds nothing yet, its first start was cut short; serve it to finish that"
        case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
        case .noRoom: "no room on the disk for the copy"
        case .missing(let path): "\(path) does not exist"
        case .failed(let path, let reason): "\(path) cannot be opened: \(reason)"
        }
    }

    /// What a failed statement says of the file.
    package init(_ error: StoreError, at path: String) {
        switch error {
        case .full: self = .noRoom
        case .corrupt(let reason): self = .damaged(path: path, reason: reason)
        default: self = .failed(path: path, reason: error.reason)
        }
    }
}

extension StoreError {
    /// What the log says of this error.
    public var reason: String {
        switch self {
        case .unavailable(let text), .corrupt(let text), .conflict(let text): text
        case .full: "the disk is full"
        default: "\(self)"
        }
    }
}
