public import ArticleAPI

/// Why a request to the backend failed.
///
/// `isStopped` errors need not be shown, `isTransient` ones are worth another attempt, and
/// `errorDescription` is a sentence to show:
/// `if !error.isStopped { message = error.errorDescription }`.
public enum BackendError: Error, Sendable, Hashable {
    /// The exchange failed in transit, or the response is malformed.
    case transport(TransportFailure)
    /// The backend rejected the request and says why.
    case problem(Problem)
    /// The backend requires credentials, and there are none that it accepts.
    case unauthorized(Problem)
    /// The session in which the request was made has ended: its user signed out, or another user
    /// signed in. A write may have been carried out.
    case signedOut
    /// The response does not match the contract.
    case mapping(ResponseMapperError)
    /// The caller no longer wants the response.
    case cancelled
    /// A later request superseded this one (`LatestWins`).
    case superseded
    /// The deadline passed before the response arrived.
    case timedOut
    /// The backend cannot be reached; the text says why.
    case offline(String)
    /// Only a cached copy was requested (`RequestOptions.Freshness.cached`), and there is none.
    case notCached
}

extension BackendError: CustomStringConvertible {
    /// What happened, for logs and terminals.
    public var description: String {
        switch self {
        case .transport(let failure): failure.description
        case .problem(let problem), .unauthorized(let problem):
            problem.detail ?? (problem.title.isEmpty ? "status \(problem.status)" : problem.title)
        case .mapping(let error): "the response does not match the contract: \(error)"
        case .signedOut: "the user who made the request has signed out"
        case .cancelled: "the request was cancelled"
        case .superseded: "the request was superseded by a later one"
        case .timedOut: "the request took too long"
        case .offline(let reason): reason
        case .notCached: "there is no cached copy of the response"
        }
    }
}

extension BackendError {
    /// Credentials could not be read.
    init(_ error: CredentialStoreError) {
        self = .transport(TransportFailure(.credentials, error.description))
    }

    /// The request cannot be serialized; nothing was sent.
    init(unprintable name: String) {
        self = .transport(
            TransportFailure(.unsupported, "the value of \(name) is not valid in a header field"))
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
