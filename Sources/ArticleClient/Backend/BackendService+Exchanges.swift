import ArticleAPI
import HTTP

/// From a call to the response: retries, credentials and redirects.
extension BackendService {
    typealias Outcome = Result<HTTPResponse, BackendError>

    /// Sends the call and retries it until the deadline, where that is safe and may help.
    ///
    /// - Parameter waiters: all callers that wait for it, if it is shared.
    func exchanged(_ call: Call, for waiters: (any Waiters)? = nil) async -> Outcome {
        let policy = configuration.retries
        var attempt = 1
        while true {
            let outcome: Outcome
            do throws(BackendError) {
                outcome = .success(try await authorized(call, waiters))
            } catch { outcome = .failure(error) }
            // The backend may still be processing an earlier attempt. Its outcome is worth waiting
            // for, so this does not count as an attempt.
            let isInFlight = policy.attempts > 1 && isInFlight(outcome, call)
            guard isInFlight || attempt < policy.attempts,
                let reason = reasonToRetry(outcome, isInFlight), RetryPolicy.allows(call.request)
            else { return outcome }
            var delay = policy.delay(
                behind: attempt, retryAfter: retryAfter(outcome), random: environment.random)
            if isInFlight { delay = max(delay, Self.shortestWait) }
            guard environment.now() + delay < deadline(of: call, waiters) else { return outcome }
            network.tell(
                BackendEvent(
                    .retried(after: delay, because: reason), call.request, to: call.origin))
            do { try await environment.sleep(delay) } catch { return .failure(.cancelled) }
            if !isInFlight { attempt += 1 }
        }
    }

    private static let shortestWait = Duration.milliseconds(100)

    /// Whether the backend is still processing a request with the same key, and says when to retry.
    private func isInFlight(_ outcome: Outcome, _ call: Call) -> Bool {
        guard case .success(let response) = outcome, response.status == .conflict,
            call.request.fields.contains(.idempotencyKey), retryAfter(outcome) != nil,
            case .problem(let problem) = Self.error(of: Answer(response))
        else { return false }
        return problem.kind == .requestInFlight
    }

    /// Why a retry may help; `nil` if it would not.
    private func reasonToRetry(_ outcome: Outcome, _ isInFlight: Bool) -> BackendError? {
        switch outcome {
        case .success(let response):
            guard isInFlight || configuration.retries.statuses.contains(response.status) else {
                return nil
            }
            return Self.error(of: Answer(response))
        case .failure(let error):
            switch error {
            case .offline, .timedOut: return error
            case .transport(let failure):
                return [.disconnected, .malformed].contains(failure.kind) ? error : nil
            default: return nil
            }
        }
    }

    /// Seconds or a date (RFC 9110 §10.2.3).
    private func retryAfter(_ outcome: Outcome) -> Duration? {
        guard case .success(let response) = outcome, let text = response.fields[.retryAfter]
        else { return nil }
        if let seconds = Int64(text) { return .seconds(min(max(0, seconds), 1 << 32)) }
        return HTTPDate.seconds(text).map { .seconds(max(0, $0 - environment.wallSeconds())) }
    }

    // MARK: Credentials

    /// Sends the call with the token; a rejected token is renewed, at most twice.
    private func authorized(
        _ call: Call, _ waiters: (any Waiters)?
    ) async throws(BackendError) -> HTTPResponse {
        var token = try auth.token(of: call.session)
        var renewals = 0
        while true {
            let (response, origin) = try await redirected(call, token, waiters)
            guard response.status == .unauthorized, origin == call.origin, let refused = token
            else {
                if let token, origin == call.origin { auth.accept(token) }
                return response
            }
            guard renewals < 2,
                let new = try await auth.token(
                    insteadOf: refused, of: call.session, by: withoutCredentials)
            else { return response }
            token = new
            renewals += 1
        }
    }

    // MARK: Redirects

    /// Sends the call and follows redirects while its session lasts; the token is only sent to the
    /// backend's own origin.
    private func redirected(
        _ call: Call, _ token: String?, _ waiters: (any Waiters)?
    ) async throws(BackendError) -> (HTTPResponse, HTTPOrigin) {
        var (request, origin) = (call.request, call.origin)
        for _ in 0...max(0, configuration.redirects) {
            var outgoing = request
            if let token, origin == call.origin {
                try checkSecrecy(of: origin)
                guard outgoing.fields.set(.authorization, to: "Bearer \(token)") else {
                    throw .transport(
                        TransportFailure(.credentials, "the token is not valid in a header field"))
                }
            }
            _ = try auth.token(of: call.session)
            let response = try await network.send(
                outgoing, to: origin, options: try transportOptions(call, waiters), for: waiters)
            guard let next = try Redirect(response, of: request, from: origin) else {
                return (response, origin)
            }
            (request, origin) = (next.request, next.origin)
        }
        throw .transport(
            TransportFailure(.redirected, "more than \(configuration.redirects) redirects"))
    }

    private static let sharedTimeout = Duration.seconds(3_600)

    private func checkSecrecy(of origin: HTTPOrigin) throws(BackendError) {
        guard origin.scheme == .https || origin.isLoopback || configuration.sendsTokensInTheClear
        else {
            throw .transport(
                TransportFailure(
                    .credentials, "the token would be sent to \(origin) unencrypted"))
        }
    }

    /// When the last waiter gives up, in the time of `ClientEnvironment.now`.
    private func deadline(of call: Call, _ waiters: (any Waiters)?) -> Duration {
        waiters?.deadline ?? call.stay.deadline
    }

    private func transportOptions(
        _ call: Call, _ waiters: (any Waiters)?
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
