public import ArticleAPI

/// The reason why a request to the backend failed.
///
/// `isStopped` errors need not be shown, `isTransient` ones are worth another attempt, and
/// `errorDescription` is a sentence to show.
///
/// ```swift
/// do throws(BackendError) {
///     page = try await backend.send(FetchTagsRequest())
/// } catch {
///     if !error.isStopped { message = error.errorDescription }
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

#if canImport(FoundationEssentials)
    // FoundationEssentials has no `LocalizedError`; `URLSessionTransport`, which uses Foundation,
    // adds the conformance.
#else
    public import Foundation

    /// Alerts and `localizedDescription` show `errorDescription`.
    extension BackendError: LocalizedError {}
#endif

/// An app's reaction to an error, and the texts for its user.
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

    /// A sentence for the app's user.
    public var errorDescription: String? {
        switch self {
        case .transport(let failure):
            switch failure.kind {
            case .disconnected: "The connection to the server was lost."
            case .insecure: "A secure connection to the server could not be established."
            case .tooLarge: "The server’s response is too large."
            case .overloaded: "Too many requests are in progress."
            case .credentials: "You could not be signed in securely."
            case .malformed, .foreign, .redirected, .unsupported:
                "The server’s response cannot be understood."
            }
        case .problem(let problem): Self.sentence(problem)
        case .signInRejected: "The name or the password is wrong."
        case .unauthorized: "You need to sign in."
        case .signedOut: "You have signed out."
        case .mapping: "The server’s response cannot be understood."
        case .cancelled, .superseded: "The request was cancelled."
        case .timedOut: "The server took too long to respond."
        case .offline: "The server cannot be reached."
        case .notCached: "This is not available offline."
        }
    }

    /// The underlying cause; `nil` where the description already contains it.
    public var failureReason: String? {
        switch self {
        case .transport(let failure): Self.sentence(failure.description)
        case .problem(let problem), .unauthorized(let problem), .signInRejected(let problem):
            problem.detail.map(Self.sentence)
        case .mapping(let error):
            Self.sentence("The response does not match the contract: \(error)")
        case .offline(let reason): Self.sentence(reason)
        case .signedOut, .cancelled, .superseded, .timedOut, .notCached: nil
        }
    }

    /// The remedy, in a sentence; `nil` where there is nothing to suggest.
    public var recoverySuggestion: String? {
        if case .unauthorized = self { return "Sign in and try again." }
        if case .offline = self { return "Check the network connection and try again." }
        if problem?.kind == .preconditionFailed {
            return "Someone else has changed it. Reload it and repeat your change."
        }
        return isTransient ? "Try again in a moment." : nil
    }

    /// The same as `errorDescription`, as on Apple's platforms, but without linking Foundation.
    public var localizedDescription: String { errorDescription ?? description }

    private static func sentence(_ problem: Problem) -> String {
        if let detail = problem.detail, !detail.isEmpty, problem.status < 500 {
            return sentence(detail)
        }
        if problem.status == 429 { return "Too many requests were sent in a short time." }
        if problem.status >= 500 { return "The server has a problem." }
        return sentence(
            problem.title.isEmpty ? "The server responded with \(problem.status)" : problem.title)
    }

    /// Words as a sentence, with an initial capital and a final punctuation mark.
    private static func sentence(_ words: String) -> String {
        guard let first = words.first, let last = words.last else { return words }
        let end = ".!?…".contains(last) ? "" : "."
        return first.uppercased() + words.dropFirst() + end
    }
}
