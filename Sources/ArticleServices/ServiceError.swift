public import ArticleAPI
public import HTTP

/// Why a service did not do what it was asked; `ServiceError+Problem.swift` makes HTTP of it.
public enum ServiceError: Error, Sendable {
    /// The contract did not accept the request.
    case refused(RequestValidationError)
    case notFound
    case unauthenticated(CredentialFault)
    case forbidden(needed: Role, has: Role)
    /// `If-Match` must be sent.
    case preconditionRequired
    /// `If-Match` named another revision; the one that stands, `nil` if there is none.
    case preconditionFailed(current: Int?)
    /// This field of a reader names another state of what is there.
    case representationDiffers(HTTPFieldName)
    /// The first request with this idempotency key is under way.
    case inFlight
    /// The idempotency key belongs to another request.
    case keyReused
    /// What this very request was refused for when it came first.
    case refusedBefore(Problem)
    case idTaken
    case slugTaken(String)
    /// Values that are well-formed but cannot stand, each with its place.
    case invalid([Problem.Detail])
    /// The media type that there is.
    case notAcceptable(String)
    case busy
    /// What the client may send does not reach for this request, which costs so much of it.
    case overLimit(tokens: Int, retryAfterSeconds: Int)
    case full
    /// The cause is for the log only.
    case unavailable(cause: String)

    /// What is wrong with credentials.
    public enum CredentialFault: Sendable, Hashable {
        case missing, malformed, unknown, revoked, expired
    }

    /// One value of the body that cannot stand.
    static func invalidValue(_ pointer: String, _ detail: String) -> ServiceError {
        .invalid([Problem.Detail(detail, at: .pointer(pointer))])
    }

    /// One parameter that cannot stand.
    static func badParameter(_ name: String, _ detail: String) -> ServiceError {
        .refused(
            RequestValidationError(
                .malformed, details: [Problem.Detail(detail, at: .parameter(name))]))
    }
}
