public import ArticleAPI
public import HTTP
public import HTTPServer

// The one table from errors to HTTP: statuses, words and fields.

extension ServiceError {
    /// What the client is told; causes go to the log.
    func problem(instance: String) -> Problem {
        switch self {
        case .refused(let refusal): return refusal.problem(instance: instance)
        case .notFound:
            return Problem(.notFound, detail: "There is no such thing here.", instance: instance)
        case .unauthenticated(let fault):
            return Problem(.unauthenticated, detail: fault.sentence, instance: instance)
        case .forbidden(let needed, let role):
            let detail = "This needs a key with the role \(needed); yours is a \(role)'s."
            return Problem(.forbidden, detail: detail, instance: instance)
        case .preconditionRequired:
            let detail = "Send If-Match with the ETag of what you edited."
            return Problem(
                .preconditionRequired, detail: detail, instance: instance,
                errors: [Problem.Detail("is missing", at: .header("If-Match"))])
        case .preconditionFailed(let current):
            let state = current.map { "Revision \($0) stands" } ?? "There is none"
            return Problem(
                .preconditionFailed, detail: "\(state); nothing was changed.", instance: instance,
                errors: [Problem.Detail("does not fit what stands", at: .header("If-Match"))])
        case .representationDiffers(let name):
            return Problem(
                .preconditionFailed, detail: "What stands is not what you mean.",
                instance: instance,
                errors: [Problem.Detail("does not fit what stands", at: .header(name.rawValue))])
        case .inFlight: return .keyProblem(.requestInFlight, instance)
        case .keyReused: return .keyProblem(.keyReused, instance)
        case .refusedBefore(let problem): return problem.told(in: instance)
        case .idTaken:
            return Problem(
                .idTaken, detail: "This id was used before.", instance: instance,
                errors: [Problem.Detail("is taken", at: .pointer("/id"))])
        case .slugTaken(let slug):
            return Problem(
                .slugTaken, detail: "The slug \"\(slug)\" belongs to another article.",
                instance: instance, errors: [Problem.Detail("is taken", at: .pointer("/slug"))])
        case .invalid(let details):
            return RequestValidationError(.invalid, details: details).problem(instance: instance)
        case .notAcceptable(let mediaType):
            return Problem(
                .notAcceptable, detail: "There is only \(mediaType).", instance: instance,
                errors: [Problem.Detail("excludes it", at: .header("Accept"))])
        case .busy:
            let detail = "Too much is waiting; nothing was done. Try again."
            return Problem(.unavailable, detail: detail, instance: instance)
        case .overLimit(let tokens, _):
            let detail = "This request counts as \(tokens); there are not as many left."
            return Problem(.tooManyRequests, detail: detail, instance: instance)
        case .full:
            let detail = "There is no room left; nothing was changed."
            return Problem(.storageFull, detail: detail, instance: instance)
        case .unavailable:
            let detail = "A part of the backend did not answer; nothing was changed."
            return Problem(.unavailable, detail: detail, instance: instance)
        }
    }

    /// The response, with the fields that belong to it.
    func response(to requestID: String, log: (String) -> Void) -> HTTPResponse {
        if case .unavailable(let cause) = self { log("\(requestID): \(cause)") }
        var fields: HTTPFields = [.cacheControl: "no-store"]
        switch self {
        case .unauthenticated(.missing):
            fields.append(.wwwAuthenticate, "Bearer realm=\"broadsheet\"")
        case .unauthenticated:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"invalid_token\"")
        case .forbidden:
            fields.append(
                .wwwAuthenticate, "Bearer realm=\"broadsheet\", error=\"insufficient_scope\"")
        case .busy, .inFlight: fields.append(.retryAfter, "1")
        case .unavailable: fields.append(.retryAfter, "5")
        case .overLimit(_, let seconds): fields.append(.retryAfter, "\(seconds)")
        case .refused(let refusal) where refusal.reason == .unsupportedMediaType:
            fields.append(.accept, refusal.mediaTypes.joined(separator: ", "))
        default: break
        }
        return problem(instance: requestID).response(fields)
    }
}

extension ServiceError.CredentialFault {
    fileprivate var sentence: String {
        switch self {
        case .missing: "Send a key: Authorization: Bearer bsk_…"
        case .malformed: "Authorization must be: Bearer, a space, and a key."
        case .unknown: "The key is not known."
        case .revoked: "The key was revoked."
        case .expired: "The key has expired."
        }
    }
}

extension Problem {
    /// What is wrong with the use of an idempotency key.
    fileprivate static func keyProblem(_ kind: Kind, _ instance: String) -> Problem {
        let isWaiting = kind == .requestInFlight
        return Problem(
            kind,
            detail: isWaiting
                ? "Its result will be kept: ask again." : "Each write needs a key of its own.",
            instance: instance,
            errors: [
                Problem.Detail(
                    isWaiting ? "is in use" : "was sent with another request",
                    at: .header("Idempotency-Key"))
            ])
    }

    /// The same problem, met again.
    fileprivate func told(in instance: String) -> Problem {
        var problem = self
        problem.instance = instance
        return problem
    }

    /// The response, with the fields that are given beside the problem's own.
    func response(_ fields: HTTPFields) -> HTTPResponse {
        var fields = fields
        fields.append(.contentType, Self.mediaType)
        return HTTPResponse(
            HTTPStatus(status) ?? .internalServerError, fields: fields, body: .bytes(json()))
    }

    /// The response to what the server itself refuses.
    @Sendable
    public static func response(_ refusal: HTTPError) -> HTTPResponse {
        var kind = Kind.allCases.first { $0.status == refusal.status.code } ?? .malformedRequest
        var errors: [Problem.Detail] = []
        switch refusal.subject {
        case .request: break
        case .exposedCredentials:
            kind = .insecureTransport
            errors = [Detail("must not be sent in the clear", at: .header("Authorization"))]
        case .unexpectedBody:
            errors = [Detail("is not taken by this request", at: .pointer(""))]
        case .foreignHost:
            let detail = "must be an IP address, localhost, or a name given by --host"
            errors = [Detail(detail, at: .header("Host"))]
        }
        let problem = Problem(
            kind, detail: refusal.detail, instance: refusal.requestID, errors: errors)
        // Caches may keep a 404 or a 405 that does not forbid it (RFC 9110 §15.1).
        return problem.response([.cacheControl: "no-store"])
    }
}
