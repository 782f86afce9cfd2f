import ArticleAPI
public import ArticleStore
public import BroadsheetPlatform

/// A fault in a file or one of its lines; the description is one line, `path:line: reason`.
public struct ImportFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path as given on the command line, or below a given folder.
    public var path: String
    /// From 1; `nil` if the fault concerns the whole file.
    public var line: Int?
    public var reason: String

    public var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(reason)".onOneLine
    }
}

/// The reason why a line of a file is rejected.
package struct LineFault: Error, Sendable, Hashable {
    var reason: String

    init(reason: String) { self.reason = reason }

    /// The first of several faults, with the number of the others.
    init(_ error: InvalidValue) {
        let first = error.faults.first.map { "\($0.path) \($0.message)" } ?? "is not accepted"
        let others = error.faults.count - 1
        reason = others > 0 ? "\(first) (and \(others) more)" : first
    }
}

/// The reason why an import or export was aborted; the description is one line for the operator.
public enum InterchangeError: Error, Sendable, CustomStringConvertible {
    /// The store failed. Articles imported before are kept.
    case store(StoreError)
    /// Writing the output failed.
    case output(SystemError)
    /// The task was cancelled. Articles imported before are kept.
    case cancelled

    public var description: String {
        switch self {
        case .store(let error): error.sentence
        case .output(let error): "the export cannot be written: \(error)"
        case .cancelled: "there was not enough time for all of it"
        }
    }
}

extension StoreError {
    /// The error as a phrase for the operator.
    package var sentence: String {
        switch self {
        case .notFound: "it does not exist"
        case .notOwner, .ownerFixed: "it belongs to another user"
        case .unknownOwner(let id): "$.owner: no user with the id \(id) may own articles"
        case .preconditionFailed: "it has changed in the meantime"
        case .idTaken: "the id is taken by another article"
        case .slugTaken(let slug): "the slug \"\(slug)\" is taken by another article"
        case .nameTaken: "the name is taken by another user"
        case .identityTaken: "the identity is taken by another user"
        case .tokenUsed: "its token was used before"
        case .unknownAuthor(let index, let id): "$.authors[\(index)].id: no author has the id \(id)"
        case .authorDiffers(let index, let name):
            "$.authors[\(index)].name: this author's name is \"\(name)\""
        case .repeated: "it has already been done"
        case .keyReused: "its idempotency key belongs to another write"
        case .otherHistory: "its position belongs to another history of the database"
        case .invalid(let details): details.first?.detail ?? "it is invalid"
        case .commentsClosed, .tooManyComments, .repeatedComment, .notTheWriter, .notEditor,
            .editTimeOver:
            "\(self)"
        case .conflict(let name): "conflict with existing data: \(name)"
        case .tooMany(let things): "there are too many \(things)"
        case .rejected(let cause): "\(cause)"
        case .busy: "the database is busy"
        case .delayed(.standby): "commits wait for a standby of the database"
        case .delayed(.unknown): "a commit takes too long"
        case .full: "the disk is full"
        case .moving: "the database is being moved to another engine"
        case .unavailable(let cause): "the database cannot be used: \(cause)"
        case .corrupt(let cause): "the database is inconsistent: \(cause)"
        }
    }
}
