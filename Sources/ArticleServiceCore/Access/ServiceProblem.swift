public import ArticleAPI
import ArticleStore
public import BroadsheetHTTP
public import BroadsheetHTTPServer

// The only place that maps errors to HTTP statuses, texts and header fields.

extension ServiceError {
    /// The problem that the client receives; causes only go to the log.
    package func problem(instance: String) -> Problem {
        func plain(_ kind: Problem.Kind, _ detail: String) -> Problem {
            Problem(kind, detail: detail, instance: instance)
        }
        switch self {
        case .rejected(let rejection): return rejection.problem(instance: instance)
        case .notFound: return plain(.notFound, "The requested resource does not exist.")
        case .notOwner:
            return plain(
                .forbidden,
                "You can read this article but not change it: it belongs to somebody else.")
        case .ownerFixed: return .fixedOwnerProblem(instance)
        case .foreignPage:
            let detail = "This endpoint accepts same-origin requests from the console only."
            return Problem(
                .forbidden, detail: detail, instance: instance,
                errors: [Problem.Detail("must be same-origin", at: .header("Sec-Fetch-Site"))])
        case .unauthenticated(let fault): return plain(.unauthenticated, fault.sentence)
        case .forbidden(let needed, let role):
            return plain(
                .forbidden,
                "This requires the role \(needed); your credentials have the role \(role).")
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
        case .weakTag:
            return .conditionProblem(
                "If-Match never matches a weak tag. An intermediary, such as a compressing proxy, "
                    + "has weakened the ETag: send the `version` in quotation marks instead.",
                "has a weak tag", of: "If-Match", instance)
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
        case .invalid(let details):
            return RequestValidationError(.invalid, details: details).problem(instance: instance)
        case .notAcceptable(let mediaType):
            return Problem(
                .notAcceptable, detail: "This resource is only available as \(mediaType).",
                instance: instance,
                errors: [Problem.Detail("does not accept \(mediaType)", at: .header("Accept"))])
        case .commentsClosed, .editTimeOver, .notTheWriter, .repeatedComment, .tooManyComments,
            .tooManyWrites, .tooManyBookmarks:
            return .readersProblem(self, instance)
        case .userRequired, .sessionRequired, .signUpClosed, .exposedSecrets, .nameTaken,
            .tooManyAttempts, .tooManySignUps:
            return accountProblem(instance)
        case .busy, .delayed, .behind, .cutOff, .starting, .stopping, .indexing, .overLimit,
            .tooManyStreams, .exporting, .full, .moving, .purgeIncomplete, .unavailable, .failed:
            let (kind, detail) = shortage
            return plain(kind, detail)
        }
    }

    /// The problem of an account, or of signing up or in.
    private func accountProblem(_ instance: String) -> Problem {
        switch self {
        case .signUpClosed:
            return Problem(
                .signUpClosed, detail: "Sign-up requires an invitation.", instance: instance)
        case .tooManyAttempts:
            let detail = "Too many attempts to sign in failed. Retry later."
            return Problem(.tooManyRequests, detail: detail, instance: instance)
        case .tooManySignUps:
            let detail = "Too many accounts were created from this address. Retry later."
            return Problem(.tooManyRequests, detail: detail, instance: instance)
        case .nameTaken:
            return .takenProblem(.nameTaken, "Another user has this name.", "/name", instance)
        case .exposedSecrets:
            return Problem(
                .insecureTransport,
                detail: "Secrets were sent over plain HTTP and may have been exposed. Change "
                    + "them and use HTTPS; a proxy must forward the client's scheme.",
                instance: instance,
                errors: [Problem.Detail("must not be sent unencrypted", at: .pointer(""))])
        case .sessionRequired:
            let detail = "This requires a user who is signed in; API keys cannot do it."
            return Problem(.userRequired, detail: detail, instance: instance)
        default:
            let detail = "This requires an account: sign in, or use a key that acts for a user."
            return Problem(.userRequired, detail: detail, instance: instance)
        }
    }

    /// The resource that the server lacks: time, space, or a part of it.
    private var shortage: (Problem.Kind, String) {
        switch self {
        case .busy:
            (
                .unavailable,
                "The server is overloaded; the request was not processed. Retry later."
            )
        case .delayed(.standby):
            (
                .unavailable,
                "Writes wait for a standby of the database, which does not respond; the request "
                    + "was not processed. Retry later."
            )
        case .delayed(.unknown):
            (
                .unavailable,
                "The database is slow to commit earlier writes; the request was not processed. "
                    + "Retry later."
            )
        case .cutOff:
            (
                .unavailable,
                "The database does not respond to this node; the request was not processed. "
                    + "Retry later."
            )
        case .behind:
            (
                .unavailable,
                "This node does not have the latest changes yet; the request was not processed. "
                    + "Retry later."
            )
        case .starting: (.unavailable, "The server is starting up. Retry later.")
        case .stopping: (.unavailable, "The server is shutting down.")
        case .indexing:
            (
                .unavailable,
                "Search is not available yet: its index is being built. Retry later."
            )
        case .overLimit(let tokens, _):
            (
                .tooManyRequests,
                "This request counts as \(tokens) requests, which exceeds your remaining rate "
                    + "limit."
            )
        case .tooManyStreams(ofAddress: true):
            (.tooManyRequests, "Too many change streams are open from this address.")
        case .tooManyStreams:
            (.unavailable, "Too many change streams are open. Retry later.")
        case .exporting:
            (.tooManyRequests, "Another export of this account is in progress.")
        case .moving:
            (
                .unavailable,
                "The database is being moved; the request was not processed. Retry later."
            )
        case .purgeIncomplete(let cause):
            (.unavailable, "The purge is not complete: \(cause).")
        case .full:
            (.storageFull, "The server is out of disk space; nothing was changed.")
        case .failed:
            (
                .internalError,
                "Part of the server failed while processing this request; nothing was changed. "
                    + "The server's log names the cause."
            )
        default:
            (.unavailable, "Part of the backend did not respond; nothing was changed.")
        }
    }

    /// The response with the header fields that belong to the error.
    package func response(to requestID: String, log: (String) -> Void) -> HTTPResponse {
        switch self {
        case .unavailable(let cause), .failed(let cause), .purgeIncomplete(let cause):
            log("\(requestID): \(cause)")
        default: break
        }
        var fields: HTTPFields = [.cacheControl: "no-store"]
        switch self {
        case .unauthenticated(.missing), .unauthenticated(.wrongPassword):
            fields.append(.wwwAuthenticate, "Bearer realm=\"broadsheet\"")
        case .unauthenticated:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"invalid_token\"")
        case .forbidden, .userRequired, .sessionRequired:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"insufficient_scope\"")
        case .busy, .delayed, .behind, .cutOff, .inFlight, .starting, .stopping, .moving:
            fields.append(.retryAfter, "1")
        case .indexing, .unavailable, .tooManyStreams, .exporting, .purgeIncomplete:
            fields.append(.retryAfter, "5")
        case .overLimit(_, let seconds), .tooManyComments(let seconds),
            .tooManyWrites(let seconds), .tooManyAttempts(let seconds),
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
        case .usedLink:
            "The link has been used, has expired, or was not opened on the server's machine. "
                + "Print a new one with broadsheet console."
        case .identityToken(let reason): "The identity token \(reason)."
        }
    }
}

extension Problem {
    /// Returns the problem with the writes of a reader.
    fileprivate static func readersProblem(_ error: ServiceError, _ instance: String) -> Problem {
        let (kind, detail): (Kind, String) =
            switch error {
            case .commentsClosed: (.commentsClosed, "Comments on this article are closed.")
            case .editTimeOver(let seconds):
                (
                    .editTimeOver,
                    "A comment can be edited for \(seconds) s after it was written. After that, "
                        + "it can only be deleted."
                )
            case .repeatedComment:
                (.repeatedComment, "You wrote the same comment within the last minute.")
            case .tooManyComments:
                (.tooManyRequests, "You have written too many comments. Retry later.")
            case .tooManyWrites:
                (.tooManyRequests, "You have made too many changes. Retry later.")
            case .tooManyBookmarks: (.tooManyBookmarks, "Remove a bookmark to add another one.")
            default: (.notTheWriter, "Only the writer of a comment can do this.")
            }
        return Problem(kind, detail: detail, instance: instance)
    }

    /// The problem for an author who hands an article over.
    fileprivate static func fixedOwnerProblem(_ instance: String) -> Problem {
        Problem(
            .forbidden, detail: "Only editors may change the owner of an article.",
            instance: instance,
            errors: [Detail("cannot be changed by authors", at: .pointer("/owner"))])
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
            kind, detail: "Discard your copy and sync again without `since`.", instance: instance,
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
    package func response(_ fields: HTTPFields) -> HTTPResponse {
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
