import ArticleAPI
import BroadsheetHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// From a call to the response: retries, credentials and redirects.
extension BackendService {
    typealias Outcome = Result<HTTPResponse, BackendError>

    /// Sends the call and retries it until the deadline, where that is safe and may help.
    ///
    /// - Parameter waiters: all callers that wait for it, if it is shared.
    func exchanged(
        _ call: Call, for waiters: SharedTask<CallResponse>? = nil
    ) async -> Outcome {
        let policy = configuration.retries
        var attempt = 1
        var exchanges = 0
        while true {
            let outcome: Outcome
            do throws(BackendError) {
                outcome = .success(try await authorized(call, waiters, &exchanges))
            } catch { outcome = .failure(error) }
            guard case .failure(let error) = outcome else { return outcome }
            // The backend may still be processing an earlier attempt. Its outcome is worth waiting
            // for, so this does not count as an attempt.
            let isInFlight = policy.attempts > 1 && isInFlight(error, call)
            guard isInFlight || (attempt < policy.attempts && policy.mayHelp(after: error)),
                RetryPolicy.allows(call.request, call.options)
            else { return outcome }
            var delay = policy.delay(
                behind: attempt, retryAfter: error.retryAfter, random: environment.random)
            if isInFlight { delay = max(delay, Self.shortestWait) }
            guard environment.now() + delay < deadline(of: call, waiters) else { return outcome }
            network.notify(
                BackendEvent(
                    .retried(after: delay, because: error), call.request,
                    call.context(exchanges)))
            do { try await network.sleep(delay) } catch { return .failure(.cancelled) }
            if !isInFlight { attempt += 1 }
        }
    }

    private static let shortestWait = Duration.milliseconds(100)

    /// Returns true if the backend is still processing a request with the same key, and specifies
    /// when to retry.
    private func isInFlight(_ error: BackendError, _ call: Call) -> Bool {
        error.problem?.kind == .requestInFlight && error.retryAfter != nil
            && call.request.fields.contains(.idempotencyKey)
    }

    /// Returns the delay for which a response asks: seconds or a date (RFC 9110 §10.2.3).
    private func retryAfter(_ fields: HTTPFields) -> Duration? {
        guard let text = fields[.retryAfter] else { return nil }
        if let seconds = Int64(text) { return .seconds(min(max(0, seconds), 1 << 32)) }
        return HTTPDate.seconds(text).map { .seconds(max(0, $0 - environment.wallSeconds())) }
    }

    // MARK: Credentials

    /// Sends the call with the token, and returns a successful response. A token that has expired
    /// is renewed before; one that the backend has rejected is renewed, at most twice.
    ///
    /// - Parameter exchanges: the number of exchanges of the call.
    private func authorized(
        _ call: Call, _ waiters: SharedTask<CallResponse>?, _ exchanges: inout Int
    ) async throws(BackendError) -> HTTPResponse {
        var token = try auth.token(of: call.session)
        if let old = token, auth.hasExpired(old, at: environment.wallSeconds()) {
            // If it cannot be renewed, the backend says so.
            token =
                try await auth.token(
                    insteadOf: old, of: call.session, by: withoutCredentials) ?? old
        }
        var renewals = 0
        while true {
            var (response, origin) = try await redirected(call, token, waiters, &exchanges)
            try await response.collectUnlessSuccessful()
            let error = call.verdict.error(
                in: response, retryAfter: retryAfter(response.fields))
            guard case .unauthorized(let problem)? = error, origin == call.origin,
                let rejected = token
            else {
                let isBackends = error == nil || error?.problem != nil
                if let token, origin == call.origin, isBackends { auth.accept(token) }
                if let error { throw error }
                return response
            }
            guard renewals < 2,
                let new = try await auth.token(
                    insteadOf: rejected, of: call.session, by: withoutCredentials)
            else { throw .unauthorized(problem) }
            token = new
            renewals += 1
        }
    }

    // MARK: Redirects

    /// Sends the call and follows redirects while its session lasts; the token is only sent to the
    /// backend's own origin.
    private func redirected(
        _ call: Call, _ token: String?, _ waiters: SharedTask<CallResponse>?,
        _ exchanges: inout Int
    ) async throws(BackendError) -> (HTTPResponse, HTTPOrigin) {
        var redirect: Redirect?
        for _ in 0...max(0, configuration.redirects) {
            let request = redirect?.request ?? call.request
            let origin = redirect?.origin ?? call.origin
            let isOwn = origin == call.origin
            let token = isOwn ? token : nil
            let placed = isOwn ? writes.preceding(request, in: call.session.id) : request
            let outgoing = try token.map { (token) throws(BackendError) in
                try authorized(placed, to: origin, token)
            }
            _ = try auth.token(of: call.session)
            let options = try transportOptions(call, waiters)
            exchanges += 1
            let response = try await network.send(
                outgoing ?? placed, in: call.context(exchanges, to: origin), options: options,
                for: waiters)
            if isOwn { writes.note(response.fields, in: call.session.id) }
            redirect = try Redirect(response, of: request, from: origin)
            if redirect == nil { return (response, origin) }
        }
        throw .transport(
            TransportFailure(.redirected, "more than \(configuration.redirects) redirects"))
    }

    private static let sharedTimeout = Duration.seconds(3_600)

    /// The request with the token.
    private func authorized(
        _ request: HTTPRequest, to origin: HTTPOrigin, _ token: String
    ) throws(BackendError) -> HTTPRequest {
        try checkSecrecy(of: origin)
        var request = request
        guard request.fields.set(.authorization, to: "Bearer \(token)") else {
            throw .transport(
                TransportFailure(.credentials, "the token is not valid in a header field"))
        }
        return request
    }

    /// Rejects an origin to which no secrets may be sent.
    func checkSecrecy(of origin: HTTPOrigin) throws(BackendError) {
        guard origin.scheme == .https || origin.isLoopback || configuration.sendsTokensInTheClear
        else {
            throw .transport(
                TransportFailure(
                    .credentials, "credentials would be sent to \(origin) unencrypted"))
        }
    }

    /// Returns the time at which the last waiter gives up, in the time of `ClientEnvironment.now`.
    private func deadline(of call: Call, _ waiters: SharedTask<CallResponse>?) -> Duration {
        waiters?.deadline ?? call.waitLimit.deadline
    }

    private func transportOptions(
        _ call: Call, _ waiters: SharedTask<CallResponse>?
    ) throws(BackendError) -> TransportOptions {
        let left = deadline(of: call, waiters) - environment.now()
        guard left > .zero else { throw .timedOut }
        var options = TransportOptions()
        // Later callers may join a shared exchange and wait longer; it ends with the last of them.
        options.timeout = waiters == nil ? left : max(left, Self.sharedTimeout)
        options.stallTimeout = call.isStreamed ? nil : configuration.stallTimeout
        options.bodyBytes = call.isStreamed ? .max : configuration.bodyBytes
        options.isStreamed = call.isStreamed
        options.uploadProgress = call.options.uploadProgress
        return options
    }
}

extension RetryPolicy {
    /// Returns true if another attempt may succeed after this error.
    func mayHelp(after error: BackendError) -> Bool {
        switch error {
        case .offline, .timedOut: true
        case .problem(let problem), .unauthorized(let problem):
            HTTPStatus(problem.status).map(statuses.contains) ?? false
        case .transport(let failure):
            failure.status.map(statuses.contains)
                ?? [.disconnected, .malformed].contains(failure.kind)
        case .signInRejected, .signedOut, .mapping, .cancelled, .superseded, .notCached: false
        }
    }
}

/// A request that the service is sending, with its destination and its deadline.
///
/// This is a class because it is passed through many functions, and copying its many parts each
/// time would cost as much as the functions themselves.
final class Call: Sendable {
    let request: HTTPRequest
    /// `nil` for a stored request, which was printed before.
    let type: (any BackendAPIRequest.Type)?
    /// Its number among the requests of the service.
    let number: UInt64
    let origin: HTTPOrigin
    let session: Session
    /// The limit of its caller's wait.
    let waitLimit: WaitLimit
    let options: RequestOptions
    let isStreamed: Bool
    /// Decides which responses are the backend's.
    let verdict: Verdict

    init(
        _ request: HTTPRequest, of type: (any BackendAPIRequest.Type)?, number: UInt64,
        _ configuration: BackendConfiguration, _ options: RequestOptions, _ verdict: Verdict,
        isStreamed: Bool, by auth: BackendAuth, in session: Session,
        now: @escaping @Sendable () -> Duration
    ) throws(BackendError) {
        var request = request
        request.target = configuration.baseURL.target(request.target)
        // The configuration's headers do not override the request's own fields.
        request.fields.appendMissing(from: configuration.headers)
        request.fields.replace(by: options.headers)
        if let key = options.idempotencyKey { request.fields.set(.idempotencyKey, to: key) }
        if let name = request.fields.rejectedName { throw BackendError(unprintable: name) }
        self.request = request
        self.type = type
        self.number = number
        origin = configuration.baseURL.origin
        self.session = session
        let timeout = options.timeout ?? configuration.timeout
        waitLimit = WaitLimit(auth, session.id, for: timeout, from: now(), by: now)
        self.options = options
        self.isStreamed = isStreamed
        self.verdict = verdict
    }

    private init(_ call: Call, _ request: HTTPRequest) {
        self.request = request
        type = call.type
        number = call.number
        origin = call.origin
        session = call.session
        waitLimit = call.waitLimit
        options = call.options
        isStreamed = call.isStreamed
        verdict = call.verdict
    }

    /// The call as a whole.
    var context: ExchangeContext { context(0) }

    /// One exchange of the call.
    ///
    /// - Parameter origin: its destination; `nil` for the backend.
    func context(_ attempt: Int, to origin: HTTPOrigin? = nil) -> ExchangeContext {
        let account: String? =
            if case .account(let account) = session.account { account } else { nil }
        return ExchangeContext(
            ExchangeContext.ID(request: number, attempt: attempt), to: origin ?? self.origin,
            of: type, account: account, isStreamed: isStreamed)
    }

    /// The call with `If-None-Match` for this entity tag.
    func conditional(on etag: String) -> Call {
        var request = request
        request.fields.set(.ifNoneMatch, to: etag)
        return Call(self, request)
    }
}

/// Concurrent calls with equal keys share one exchange.
struct CallKey: Hashable, Sendable {
    let cacheKey: CacheKey
    let session: Session.ID
    /// True if the call may revalidate a cached response.
    let isConditional: Bool
}

/// The request that a redirect leads to (RFC 9110 §15.4).
struct Redirect {
    let request: HTTPRequest
    let origin: HTTPOrigin

    /// The fields that are also sent to another origin, because it needs them to respond. Others,
    /// such as an app's own headers, may contain secrets for the backend.
    private static let harmless: [HTTPFieldName] = [
        .accept, .acceptEncoding, .ifModifiedSince, .ifNoneMatch, .range,
        .userAgent,
    ]

    /// `nil` for a response that is not a redirect, or if following it would change the meaning of
    /// the request. A redirect of a write to another origin is an error.
    init?(
        _ response: HTTPResponse, of request: HTTPRequest, from origin: HTTPOrigin
    ) throws(BackendError) {
        guard let method = Self.method(response.status, request.method),
            let location = response.fields[.location],
            let (target, next) = Self.resolve(location, request.target, origin)
        else { return nil }
        var request = request
        request.target = target
        if method != request.method {
            request.method = method
            request.body = []
            request.fields.remove(.contentType)
        }
        if next != origin {
            guard method.isSafe, request.body.isEmpty else {
                throw .transport(
                    TransportFailure(
                        .redirected, "writes do not follow redirects to another origin: \(next)"))
            }
            request.fields.removeAll(except: Self.harmless)
        }
        self.request = request
        self.origin = next
    }

    private static func method(_ status: HTTPStatus, _ method: HTTPMethod) -> HTTPMethod? {
        switch status {
        case .movedPermanently, .found: method.isSafe ? method : nil
        case .seeOther: method == .head ? .head : .get
        case .temporaryRedirect, .permanentRedirect: method
        default: nil
        }
    }

    /// Resolves the reference against the request's URI (RFC 3986 §5).
    private static func resolve(
        _ location: String, _ target: RequestTarget, _ origin: HTTPOrigin
    ) -> (RequestTarget, HTTPOrigin)? {
        let isUnix = origin.endpoint.isUnix
        let base = URL(string: (isUnix ? "http://localhost" : origin.description) + "\(target)")
        guard let base, let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme, let host = components.percentEncodedHost
        else { return nil }
        let path = components.percentEncodedPath
        guard
            let next = HTTPOrigin(
                "\(scheme)://\(host)" + (components.port.map { ":\($0)" } ?? "")),
            let target = RequestTarget(
                path: path.isEmpty ? "/" : path, query: components.percentEncodedQuery)
        else { return nil }
        // A server on a Unix socket calls itself localhost.
        if isUnix, next == HTTPOrigin("http://localhost") { return (target, origin) }
        // A redirect must not downgrade https to http.
        guard origin.scheme == .http || next.scheme == .https else { return nil }
        return (target, next)
    }
}

/// The token of the last write, so that the account that wrote reads its own write from any node of
/// the backend. Safe to use from any thread.
final class LastWrite: Sendable {
    private struct Position {
        let session: Session.ID
        let token: String
    }

    private let place = Locked<Position?>(nil)

    /// Remembers the place of a write (`Broadsheet-Sequence`).
    func note(_ fields: HTTPFields, in session: Session.ID) {
        guard let token = fields[.broadsheetSequence] else { return }
        place.withLock { $0 = Position(session: session, token: token) }
    }

    /// The request, which waits for the last write of this session if it reads
    /// (`Broadsheet-After`).
    func preceding(_ request: HTTPRequest, in session: Session.ID) -> HTTPRequest {
        guard request.method.isSafe, !request.fields.contains(.broadsheetAfter),
            let place = place.withLock({ $0 }), place.session == session
        else { return request }
        var request = request
        request.fields.set(.broadsheetAfter, to: place.token)
        return request
    }
}
