public import ArticleAPI
public import HTTP

/// Why a service did not fulfil a request; `ServiceError+Problem.swift` maps it to HTTP.
public enum ServiceError: Error, Sendable {
    /// The request violates the API contract.
    case rejected(RequestValidationError)
    case notFound
    case unauthenticated(CredentialFault)
    case forbidden(needed: Role, has: Role)
    /// `If-Match` must be sent.
    case preconditionRequired
    /// `If-Match` named another revision; the payload is the current one, `nil` if there is none.
    case preconditionFailed(current: Int?)
    /// This precondition of a read does not match the current representation.
    case representationDiffers(HTTPFieldName)
    /// The first request with this idempotency key is still being processed.
    case inFlight
    /// The idempotency key belongs to another request.
    case keyReused
    /// The problem with which the first attempt at this request was rejected.
    case rejectedBefore(Problem)
    case idTaken
    case slugTaken(String)
    /// Values that are well-formed but not valid, each with its location.
    case invalid([Problem.Detail])
    /// The only media type that is available.
    case notAcceptable(String)
    case busy
    /// The remaining rate limit does not cover the cost of this request.
    case overLimit(tokens: Int, retryAfterSeconds: Int)
    case full
    /// The cause is only logged.
    case unavailable(cause: String)

    /// What is wrong with credentials.
    public enum CredentialFault: Sendable, Hashable {
        case missing, malformed, unknown, revoked, expired
    }

    /// One invalid value in the body.
    static func invalidValue(_ pointer: String, _ detail: String) -> ServiceError {
        .invalid([Problem.Detail(detail, at: .pointer(pointer))])
    }

    /// One invalid parameter.
    static func badParameter(_ name: String, _ detail: String) -> ServiceError {
        .rejected(
            RequestValidationError(
                .malformed, details: [Problem.Detail(detail, at: .parameter(name))]))
    }
}
