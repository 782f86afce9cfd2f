import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP

/// Errors of every kind, with the names under which the golden file has their texts.
enum ErrorSamples {
    struct Row {
        let name: String
        let error: any Error

        init(_ name: String, _ error: any Error) {
            self.name = name
            self.error = error
        }
    }

    static var all: [Row] { exchanges + accounts + problems + fields + stores + values }

    private static func failure(
        _ kind: TransportFailure.Kind, status: HTTPStatus? = nil, after delay: Duration? = nil
    ) -> BackendError {
        var failure = TransportFailure(kind, "HTTP/1.1 with `request` 503 at /v1/articles")
        failure.status = status
        failure.retryAfter = delay
        return .transport(failure)
    }

    private static func problem(
        _ kind: Problem.Kind, after delay: Duration? = nil, _ errors: Problem.Detail...
    ) -> BackendError {
        let detail = "/body: send `Authorization: Bearer …` in the HTTP request (400)"
        var problem = Problem(kind, detail: detail, errors: errors)
        problem.retryAfter = delay
        return .problem(problem)
    }

    private static func fault(_ pointer: String, _ words: String) -> BackendError {
        problem(.invalidValues, Problem.Detail(words, at: .pointer(pointer)))
    }

    private static let exchanges = [
        Row("connection refused", BackendError.offline("connect: Connection refused")),
        Row("no head, stall or drip", BackendError.timedOut),
        Row("cut body or reset", failure(.disconnected)),
        Row("busy server", problem(.unavailable, after: .seconds(1))),
        Row("closed server", problem(.unavailable, after: .seconds(3_600))),
        Row("server closed for a week", problem(.unavailable, after: .seconds(604_800))),
        Row("too much in a short time", problem(.tooManyRequests, after: .seconds(120))),
        Row("captive portal or filter", failure(.foreign, status: .ok)),
        Row("filter that forbids", failure(.foreign, status: .forbidden)),
        Row("load balancer", failure(.foreign, status: .badGateway)),
        Row(
            "load balancer that limits",
            failure(.foreign, status: .tooManyRequests, after: .seconds(30))),
        Row("garbage", failure(.malformed)),
        Row("untrusted certificate", failure(.insecure)),
        Row("loop of redirects", failure(.redirected)),
        Row("endless response", failure(.tooLarge)),
        Row("full queue", failure(.overloaded)),
        Row("unencrypted credentials", failure(.credentials)),
        Row("what the client cannot send", failure(.unsupported)),
        Row(
            "response of another contract",
            BackendError.mapping(.missingAttribute(name: "id", path: "$.id"))),
        Row("no copy", BackendError.notCached),
        Row("cancelled", BackendError.cancelled),
        Row("superseded", BackendError.superseded),
        Row("cancelled task", CancellationError()),
        Row("unknown error", UnknownError()),
    ]

    private struct UnknownError: Error {}

    private static let accounts = [
        Row("no session", BackendError.unauthorized(Problem(.unauthenticated))),
        Row("wrong password", BackendError.signInRejected(Problem(.unauthenticated))),
        Row("signed out", BackendError.signedOut),
        Row("locked device", CredentialStoreError("errSecInteractionNotAllowed", .locked)),
        Row("keychain of another app", CredentialStoreError("no group", .notEntitled)),
        Row("damaged credentials", CredentialStoreError("no JSON", .damaged)),
        Row("credentials that cannot be stored", CredentialStoreError("disk full")),
    ]

    private static let problems =
        Problem.Kind.allCases.map { Row("problem \($0.rawValue)", problem($0)) }
        + [401, 403, 404, 408, 409, 413, 418, 429, 500, 503].map { status in
            Row(
                "problem of an app's own with status \(status)",
                Problem(type: "https://example.org/own", title: "Own", status: status))
        }

    private static let fields =
        [
            "name", "displayName", "password", "current", "invitation", "title", "summary", "body",
            "slug", "tags/1", "authors/0/name", "language", "heroImage/url", "publishedAt", "owner",
        ].map { Row("missing \($0)", fault("/\($0)", "is missing")) }
        + [
            Row("short password", fault("/password", "is shorter than 8 characters")),
            Row("common password", fault("/password", "is one of the most common passwords")),
            Row("name as password", fault("/password", "is the name of the account")),
            Row("wrong current password", fault("/current", "is wrong")),
            Row("used invitation", fault("/invitation", "is not a valid invitation, was used, …")),
            Row("long title", fault("/title", "is longer than 300 characters")),
            Row("long text", fault("/body", "is longer than 1048576 bytes")),
            Row("blank comment", fault("/body", "does not contain any text")),
            Row("words of a newer server", fault("/title", "must be `HTTP` in request/400")),
            Row(
                "wrong parameter",
                problem(
                    .malformedRequest,
                    Problem.Detail("must be between 1 and 100", at: .parameter("limit")))),
        ]

    private static let stores = [
        Row("full store", OfflineError.full),
        Row("busy store", OfflineError.busy),
        Row("store of a newer app", OfflineError.newer(schema: 400)),
        Row("store of another account", OfflineError.otherAccount),
        Row("damaged store", OfflineError.damaged("/a.db")),
        Row("full disk", OfflineError.disk("/a.db: HTTP")),
        Row("outbox without an account", OfflineError.noAccount),
        Row("outbox with an invalid draft", OfflineError.invalid(longTitle)),
        Row("full outbox", OfflineError.tooManyWrites),
        Row("settled write", OfflineError.noSuchWrite),
        Row("mirror without a session", OfflineError.backend(.signedOut)),
    ]

    /// The contract's own error for a title that is too long.
    private static let longTitle: InvalidValue = {
        let draft = Article.Draft(title: String(repeating: "x", count: 301))
        do throws(InvalidValue) {
            try draft.validate()
            preconditionFailure("programmer error: the title is valid")
        } catch { return error }
    }()

    /// Errors of values and messages, which apps seldom meet.
    private static var values: [Row] {
        [
            Row("transport error", TransportError.offline("no route")),
            Row("problem alone", Problem(.slugTaken)),
            Row("invalid value", longTitle),
            Row(
                "unreadable response",
                ResponseMapperError.missingAttribute(name: "id", path: "$.id")),
            Row("invalid message", HTTPParseError(.badRequest, "request line")),
            Row("invalid URL", caught { try HTTPURL("nowhere") }),
            Row("invalid query", caught { try QueryItems(parsing: "a".utf8) }),
            Row("invalid escape", PercentEncoding.DecodingError.badEscape),
            Row("invalid target", RequestTarget.ParsingError.form),
            Row("invalid path", RequestTarget.PathError.dotSegment),
        ]
    }

    private static func caught<Value>(_ work: () throws -> Value) -> any Error {
        do { _ = try work() } catch { return error }
        return UnknownError()
    }
}
