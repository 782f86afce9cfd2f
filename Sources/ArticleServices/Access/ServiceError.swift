public import ArticleAPI
import ArticleStore
public import HTTP
public import HTTPServer

/// Why a service did not fulfil a request; `ServiceError.swift` maps it to HTTP.
public enum ServiceError: Error, Sendable {
    /// The request violates the API contract.
    case rejected(RequestValidationError)
    case notFound
    /// The article is public, but another user owns it, or none.
    case notOwner
    /// Only editors may change the owner of an article.
    case ownerFixed
    case unauthenticated(CredentialFault)
    case forbidden(needed: Role, has: Role)
    /// The key acts for no user.
    case userRequired
    /// Sign-up needs an invitation.
    case signUpClosed
    /// The request's secrets may have been read on the way.
    case exposedSecrets
    /// `If-Match` must be sent.
    case preconditionRequired
    /// `If-Match` named another revision; the payload is the current one, `nil` if there is none.
    case preconditionFailed(current: Int?)
    /// This precondition of a read does not match the current representation.
    case representationDiffers(HTTPFieldName)
    /// A token of changes is unreadable, or of another request or role.
    case invalidToken
    /// A token of changes belongs to another history of the database.
    case syncReset
    /// The first request with this idempotency key is still being processed.
    case inFlight
    /// The idempotency key belongs to another request.
    case keyReused
    /// The problem with which the first attempt at this request was rejected.
    case rejectedBefore(Problem)
    case idTaken
    case slugTaken(String)
    /// Another user has this name.
    case nameTaken
    /// Values that are well-formed but not valid, each with its location.
    case invalid([Problem.Detail])
    /// The only media type that is available.
    case notAcceptable(String)
    case busy
    /// Articles that were due before the start are being published.
    case starting
    /// The remaining rate limit does not cover the cost of this request.
    case overLimit(tokens: Int, retryAfterSeconds: Int)
    /// Too many attempts to sign in failed, for this account or from this address.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// Too many accounts were created from this address.
    case tooManySignUps(retryAfterSeconds: Int)
    /// The article takes no new comments.
    case commentsClosed
    /// A comment can no longer be changed; it could be for this time.
    case editTimeOver(seconds: Int)
    /// The comment is that of somebody else.
    case notTheWriter
    /// The writer has just written the same comment.
    case repeatedComment
    /// The writer has written as many comments as may be for now.
    case tooManyComments(retryAfterSeconds: Int)
    case tooManyBookmarks
    /// As many change streams are open as may be, in all or from the client's address.
    case tooManyStreams(ofAddress: Bool)
    case full
    /// The cause is only logged.
    case unavailable(cause: String)

    /// What is wrong with credentials.
    public enum CredentialFault: Sendable, Hashable {
        case missing, malformed, unknown, revoked, expired
        /// The name and the password are not those of an account.
        case wrongPassword
        /// The account was disabled.
        case disabled
        /// The refresh token is not the current one of a session.
        case endedSession
        /// An ID token was rejected; the reason follows "The identity token".
        case identityToken(reason: String)
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

extension ServiceError {
    /// The only place that converts store errors to service errors.
    init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as StoreError: self = ServiceError(store: error)
        default: self = .unavailable(cause: "\(error)")
        }
    }

    private init(store error: StoreError) {
        switch error {
        case .notFound: self = .notFound
        case .notOwner: self = .notOwner
        case .ownerFixed: self = .ownerFixed
        case .unknownOwner(let id):
            self = .invalidValue(
                "/owner", "no user with the role author or above has the id \(id)")
        case .preconditionFailed(let current): self = .preconditionFailed(current: current)
        case .idTaken: self = .idTaken
        case .slugTaken(let slug): self = .slugTaken(slug)
        case .nameTaken: self = .nameTaken
        case .tokenUsed:
            self = .unauthenticated(.identityToken(reason: "was used before or has expired"))
        // The user exists now: a further attempt to sign in finds it.
        case .identityTaken: self = .busy
        case .unknownAuthor(let index, let id):
            self = .invalidValue("/authors/\(index)/id", "no author has the id \(id)")
        case .authorDiffers(let index, let name):
            self = .invalidValue(
                "/authors/\(index)/name",
                "this author's name is \"\(name)\"; change it with PUT /v1/authors/{id}")
        case .rejected(let cause): self = ServiceError(cause)
        case .keyReused: self = .keyReused
        case .repeated: self = .inFlight
        case .otherHistory: self = .syncReset
        case .busy: self = .busy
        case .full: self = .full
        case .conflict(let text), .tooMany(let text), .unavailable(let text), .corrupt(let text):
            self = .unavailable(cause: text)
        }
    }
}

// The only place that maps errors to HTTP statuses, texts and header fields.

extension ServiceError {
    /// The problem that the client receives; causes only go to the log.
    func problem(instance: String) -> Problem {
        func plain(_ kind: Problem.Kind, _ detail: String) -> Problem {
            Problem(kind, detail: detail, instance: instance)
        }
        switch self {
        case .rejected(let rejection): return rejection.problem(instance: instance)
        case .notFound: return plain(.notFound, "The requested resource does not exist.")
        case .notOwner: return plain(.forbidden, "You may only read this article: it is not yours.")
        case .ownerFixed: return .fixedOwnerProblem(instance)
        case .unauthenticated(let fault): return plain(.unauthenticated, fault.sentence)
        case .forbidden(let needed, let role):
            return plain(
                .forbidden,
                "This requires the role \(needed); your credentials have the role \(role).")
        case .userRequired:
            let detail = "This requires an account: sign in, or use a key that acts for a user."
            return plain(.userRequired, detail)
        case .signUpClosed:
            return plain(.signUpClosed, "Sign-up requires an invitation.")
        case .exposedSecrets:
            return Problem(
                .insecureTransport,
                detail: "Secrets were sent over plain HTTP and may have been exposed. Change them "
                    + "and use HTTPS; a proxy must forward the client's scheme.",
                instance: instance,
                errors: [Problem.Detail("must not be sent unencrypted", at: .pointer(""))])
        case .preconditionRequired:
            let detail = "Send If-Match with the ETag of the version that you edited."
            return Problem(
                .preconditionRequired, detail: detail, instance: instance,
                errors: [Problem.Detail("is missing", at: .header("If-Match"))])
        case .preconditionFailed(let current):
            let state = current.map { "The current revision is \($0)" } ?? "It does not exist"
            return .conditionProblem(
                "\(state); nothing was changed.", "does not match the current revision",
                of: "If-Match", instance)
        case .representationDiffers(let name):
            return .conditionProblem(
                "The current representation does not match the precondition.",
                "does not match the current representation", of: name.rawValue, instance)
        case .invalidToken: return .tokenProblem(.invalidToken, instance)
        case .syncReset: return .tokenProblem(.syncReset, instance)
        case .inFlight: return .keyProblem(.requestInFlight, instance)
        case .keyReused: return .keyProblem(.keyReused, instance)
        case .rejectedBefore(let problem): return problem.repeated(in: instance)
        case .idTaken:
            return .takenProblem(.idTaken, "This id has already been used.", "/id", instance)
        case .slugTaken(let slug):
            let detail = "The slug \"\(slug)\" belongs to another article."
            return .takenProblem(.slugTaken, detail, "/slug", instance)
        case .nameTaken:
            return .takenProblem(.nameTaken, "Another user has this name.", "/name", instance)
        case .invalid(let details):
            return RequestValidationError(.invalid, details: details).problem(instance: instance)
        case .notAcceptable(let mediaType):
            return Problem(
                .notAcceptable, detail: "This resource is only available as \(mediaType).",
                instance: instance,
                errors: [Problem.Detail("does not accept \(mediaType)", at: .header("Accept"))])
        case .busy:
            let detail = "The server is overloaded; the request was not processed. Retry later."
            return plain(.unavailable, detail)
        case .starting:
            let detail = "The server is starting: it publishes the articles that are overdue."
            return plain(.unavailable, detail)
        case .overLimit(let tokens, _):
            return plain(
                .tooManyRequests,
                "This request counts as \(tokens) requests, more than your rate limit has left.")
        case .tooManyAttempts:
            return plain(.tooManyRequests, "Too many attempts to sign in failed. Retry later.")
        case .tooManySignUps:
            return plain(
                .tooManyRequests, "Too many accounts were created from this address. Retry later.")
        case .commentsClosed, .editTimeOver, .notTheWriter, .repeatedComment, .tooManyComments,
            .tooManyBookmarks:
            return .readersProblem(self, instance)
        case .tooManyStreams(let ofAddress):
            return ofAddress
                ? plain(.tooManyRequests, "Too many change streams are open from this address.")
                : plain(.unavailable, "Too many change streams are open. Retry later.")
        case .full:
            return plain(.storageFull, "The server is out of disk space; nothing was changed.")
        case .unavailable:
            let detail = "A part of the backend did not respond; nothing was changed."
            return plain(.unavailable, detail)
        }
    }

    /// The response with the header fields that belong to the error.
    func response(to requestID: String, log: (String) -> Void) -> HTTPResponse {
        if case .unavailable(let cause) = self { log("\(requestID): \(cause)") }
        var fields: HTTPFields = [.cacheControl: "no-store"]
        switch self {
        case .unauthenticated(.missing), .unauthenticated(.wrongPassword):
            fields.append(.wwwAuthenticate, "Bearer realm=\"broadsheet\"")
        case .unauthenticated:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"invalid_token\"")
        case .forbidden, .userRequired:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"insufficient_scope\"")
        case .busy, .inFlight, .starting: fields.append(.retryAfter, "1")
        case .unavailable, .tooManyStreams: fields.append(.retryAfter, "5")
        case .overLimit(_, let seconds), .tooManyComments(let seconds),
            .tooManyAttempts(let seconds),
            .tooManySignUps(let seconds):
            fields.append(.retryAfter, "\(seconds)")
        case .rejected(let rejection) where rejection.reason == .unsupportedMediaType:
            fields.append(.accept, rejection.mediaTypes.joined(separator: ", "))
        default: break
        }
        return problem(instance: requestID).response(fields)
    }
}

extension ServiceError.CredentialFault {
    fileprivate var sentence: String {
        switch self {
        case .missing: "Send an API key or an access token: Authorization: Bearer …"
        case .malformed:
            "Authorization must be \"Bearer\", a space, and an API key or an access token."
        case .unknown: "The API key or access token is unknown."
        case .revoked: "The API key was revoked."
        case .expired: "The API key or access token has expired."
        case .wrongPassword: "The name or the password is wrong."
        case .disabled: "The account is disabled."
        case .endedSession: "The session has ended; sign in again."
        case .identityToken(let reason): "The identity token \(reason)."
        }
    }
}

extension Problem {
    /// The problem with what a reader writes.
    fileprivate static func readersProblem(_ error: ServiceError, _ instance: String) -> Problem {
        let (kind, detail): (Kind, String) =
            switch error {
            case .commentsClosed: (.commentsClosed, "There are no new comments on this article.")
            case .editTimeOver(let seconds):
                (
                    .editTimeOver,
                    "A comment can be changed for \(seconds) s after it was written; then it can "
                        + "only be deleted."
                )
            case .repeatedComment:
                (.repeatedComment, "You wrote the same comment within the last minute.")
            case .tooManyComments:
                (.tooManyRequests, "You have written too many comments. Retry later.")
            case .tooManyBookmarks: (.tooManyBookmarks, "Remove a bookmark to add another one.")
            default: (.notTheWriter, "Only its writer can do this with a comment.")
            }
        return Problem(kind, detail: detail, instance: instance)
    }

    /// The problem for an idempotency key that is in use or was reused.
    fileprivate static func keyProblem(_ kind: Kind, _ instance: String) -> Problem {
        let isWaiting = kind == .requestInFlight
        return Problem(
            kind,
            detail: isWaiting
                ? "The first request with this key is still running. Retry to get its result."
                : "Each write needs its own idempotency key.",
            instance: instance,
            errors: [
                Problem.Detail(
                    isWaiting ? "is in use" : "was used for a different request",
                    at: .header("Idempotency-Key"))
            ])
    }

    /// The problem for a value at this pointer that has to be unique and is not.
    fileprivate static func takenProblem(
        _ kind: Kind, _ detail: String, _ pointer: String, _ instance: String
    ) -> Problem {
        Problem(
            kind, detail: detail, instance: instance,
            errors: [Problem.Detail("is already taken", at: .pointer(pointer))])
    }

    /// The problem for an author who hands an article over.
    fileprivate static func fixedOwnerProblem(_ instance: String) -> Problem {
        Problem(
            .forbidden, detail: "Only editors may change the owner of an article.",
            instance: instance,
            errors: [Detail("cannot be changed by authors", at: .pointer("/owner"))])
    }

    /// The problem for an unmet precondition in this header field.
    fileprivate static func conditionProblem(
        _ detail: String, _ fault: String, of field: String, _ instance: String
    ) -> Problem {
        Problem(
            .preconditionFailed, detail: detail, instance: instance,
            errors: [Problem.Detail(fault, at: .header(field))])
    }

    /// The problem for a token that continues nothing here.
    fileprivate static func tokenProblem(_ kind: Kind, _ instance: String) -> Problem {
        let isOther = kind == .syncReset
        return Problem(
            kind, detail: "Start anew without `since`, and discard your copy.", instance: instance,
            errors: [
                Problem.Detail(
                    isOther
                        ? "is from before the database was replaced"
                        : "is not a token for these filters, types and credentials",
                    at: .parameter("since"))
            ])
    }

    /// The same problem for a repeated request.
    fileprivate func repeated(in instance: String) -> Problem {
        var problem = self
        problem.instance = instance
        return problem
    }

    /// The response with additional header fields.
    func response(_ fields: HTTPFields) -> HTTPResponse {
        var fields = fields
        fields.append(.contentType, Self.mediaType)
        return HTTPResponse(
            HTTPStatus(status) ?? .internalServerError, fields: fields, body: .bytes(json()))
    }

    /// The response to a request that the server itself rejects.
    @Sendable
    public static func response(_ error: HTTPError) -> HTTPResponse {
        var kind = Kind.allCases.first { $0.status == error.status.code } ?? .malformedRequest
        var errors: [Problem.Detail] = []
        switch error.subject {
        case .request: break
        case .exposedCredentials:
            kind = .insecureTransport
            errors = [Detail("must not be sent unencrypted", at: .header("Authorization"))]
        case .unexpectedBody:
            errors = [Detail("is not accepted by this request", at: .pointer(""))]
        case .foreignHost:
            let detail = "must be an IP address, localhost, or a name given by --host"
            errors = [Detail(detail, at: .header("Host"))]
        }
        let problem = Problem(
            kind, detail: error.detail, instance: error.requestID, errors: errors)
        // Caches may keep a 404 or a 405 that does not forbid it (RFC 9110 §15.1).
        return problem.response([.cacheControl: "no-store"])
    }
}
