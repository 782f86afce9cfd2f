public import ArticleAPI

/// Why a request to the backend came to no item.
///
/// `isStopped` failures are nobody's concern, `isTransient` ones are worth another try, and
/// `errorDescription` is a sentence to show:
/// `if !error.isStopped { message = error.errorDescription }`.
public enum BackendError: Error, Sendable, Hashable {
    /// The exchange failed on its way, or what came is no answer.
    case transport(TransportFailure)
    /// The backend refused the request, and says why.
    case problem(Problem)
    /// The backend wants credentials, and those that there are it does not take.
    case unauthorized(Problem)
    /// The session that the request was made in is over: its user signed out, or another one
    /// signed in. A write may have been carried out.
    case signedOut
    /// The answer is not what the contract says.
    case mapping(ResponseMapperError)
    /// Whoever asked does not want the answer any more.
    case cancelled
    /// A later question took the place of this one.
    case superseded
    /// The deadline came first.
    case timedOut
    /// The backend cannot be reached; why, in words.
    case offline(String)
    /// Only a copy was asked for (`RequestOptions.Freshness.cached`), and none is kept.
    case notCached
}

extension BackendError: CustomStringConvertible {
    /// What happened, for logs and terminals.
    public var description: String {
        switch self {
        case .transport(let failure): failure.description
        case .problem(let problem), .unauthorized(let problem):
            problem.detail ?? (problem.title.isEmpty ? "status \(problem.status)" : problem.title)
        case .mapping(let error): "the answer is not what was expected: \(error)"
        case .signedOut: "the user who made the request has signed out"
        case .cancelled: "the request was cancelled"
        case .superseded: "a later request took the place of this one"
        case .timedOut: "the request took too long"
        case .offline(let reason): reason
        case .notCached: "no copy of the response is kept"
        }
    }
}

extension BackendError {
    /// Credentials could not be read.
    init(_ error: CredentialStoreError) {
        self = .transport(TransportFailure(.credentials, error.description))
    }

    /// A request that cannot be written; nothing was sent.
    init(unprintable name: String) {
        self = .transport(
            TransportFailure(.unsupported, "the value of \(name) cannot stand in a header field"))
    }

    init(_ error: TransportError) {
        switch error {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .offline(let reason): self = .offline(reason)
        case .failed(let failure): self = .transport(failure)
        }
    }
}
