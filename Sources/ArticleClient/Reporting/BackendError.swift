public import ArticleAPI

/// The reason why a request to the backend failed.
///
/// `isStopped` errors need not be shown, and `isTransient` ones are worth another attempt. `text`
/// has sentences to show (``UserFacingError``); `description` is for logs.
///
/// ```swift
/// do throws(BackendError) {
///     page = try await backend.send(FetchTagsRequest())
/// } catch {
///     if !error.isStopped { message = error.text().message }
/// }
/// ```
public enum BackendError: Error, Sendable, Hashable {
    /// The exchange failed in transit, or something other than the backend has responded.
    case transport(TransportFailure)
    /// The backend rejected the request and says why, by a problem of a type that the contract
    /// knows (`BackendConfiguration.problemTypes`). Anything else is a failure in transit.
    case problem(Problem)
    /// The backend requires credentials, and there are none that it accepts.
    case unauthorized(Problem)
    /// The backend rejected the name or the password of a sign-in.
    case signInRejected(Problem)
    /// The session in which the request was made has ended: its user signed out, or another user
    /// signed in. A write may have been carried out.
    case signedOut
    /// The response does not match the contract.
    case mapping(ResponseMapperError)
    /// The caller no longer wants the response.
    case cancelled
    /// A later request superseded this one (`SupersedingRequests`).
    case superseded
    /// The deadline passed before the response arrived.
    case timedOut
    /// The backend cannot be reached; the text says why.
    case offline(String)
    /// Only a cached copy was requested (`RequestOptions.Freshness.cached`), and there is none.
    case notCached
}

extension BackendError: CustomStringConvertible {
    /// A description of the error, for logs and terminals.
    public var description: String {
        switch self {
        case .transport(let failure): failure.description
        case .problem(let problem), .unauthorized(let problem), .signInRejected(let problem):
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

/// An app's reaction to an error.
extension BackendError {
    /// True if the request was cancelled or superseded, or its user has signed out: no one is
    /// waiting for it, so there is nothing to show.
    public var isStopped: Bool {
        switch self {
        case .cancelled, .superseded, .signedOut: true
        default: false
        }
    }

    /// True if the same request may succeed later without any intervention: the network or the
    /// backend has difficulties. False for a verdict of the backend on the request.
    public var isTransient: Bool {
        switch self {
        case .offline, .timedOut: true
        case .transport(let failure): ![.unsupported, .credentials].contains(failure.kind)
        case .problem(let problem):
            switch problem.status {
            case 501, 505: false
            case 408, 429, 500...: true
            default: problem.kind == .requestInFlight
            }
        case .unauthorized, .signInRejected, .signedOut, .mapping, .cancelled, .superseded,
            .notCached:
            false
        }
    }

    /// True if a copy from before is better than the error: the backend has not said anything about
    /// the content (RFC 9111 §4.2.4, RFC 5861 §4). An app should keep what it shows.
    public var allowsStale: Bool { if case .mapping = self { true } else { isTransient } }

    /// The delay for which the response asks before another attempt.
    public var retryAfter: Duration? {
        if case .transport(let failure) = self { failure.retryAfter } else { problem?.retryAfter }
    }

    /// The backend's description of the fault, if the backend rejected the request.
    public var problem: Problem? {
        switch self {
        case .problem(let problem), .unauthorized(let problem), .signInRejected(let problem):
            problem
        default: nil
        }
    }
}
