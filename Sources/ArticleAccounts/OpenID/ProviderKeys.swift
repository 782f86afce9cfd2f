import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform

/// The reason why the keys of a provider cannot be fetched, which is only logged.
package struct OpenIDFailure: Error {
    let reason: String
}

/// The keys of one provider: fetched when they are needed, and kept.
///
/// Fetches run in the task of `run`, one at a time, so that clients that disconnect do not
/// interrupt them and other providers do not wait. Safe to use from any thread.
final class ProviderKeys: Sendable {
    typealias Outcome = Result<KeySet, ServiceError>
    private typealias Caller = UnsafeContinuation<Outcome, Never>

    let provider: OpenIDProvider
    private let environment: OutboundEnvironment
    private let log: @Sendable (String) -> Void
    private let state = Lock(State())
    /// Yields when a fetch is due.
    private let requests: AsyncStream<Void>
    private let requested: AsyncStream<Void>.Continuation

    private struct State {
        var keys: KeySet?
        var fetchedAt = Timestamp(milliseconds: 0)
        var freshUntil = Timestamp(milliseconds: 0)
        /// The time at which the last fetch ended; `nil` if there was none.
        var lastFetch: Timestamp?
        /// The reason why the last fetch failed; `nil` if it did not.
        var failure: String?
        var isFetching = false
        /// `run` has ended.
        var isOver = false
        var waiting: [Caller] = []
    }

    private enum Decision {
        case respond(Outcome)
        case wait(startsFetch: Bool)
    }

    /// The bounds of the time for which keys are used, whatever the provider's response specifies.
    private static let shortestMilliseconds: Int64 = 5 * 60_000
    private static let limitMilliseconds: Int64 = 24 * 3_600_000
    /// The time between fetches while there are keys, and after a failure without any.
    private static let pauseMilliseconds: Int64 = 60_000
    private static let shortPauseMilliseconds: Int64 = 5_000
    private static let limitWaiting = 1_000

    init(
        _ provider: OpenIDProvider, _ environment: OutboundEnvironment,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.provider = provider
        self.environment = environment
        self.log = log
        (requests, requested) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The keys, fetched if they are too old.
    func current() async throws(ServiceError) -> KeySet {
        try await keys { state, now in
            if let keys = state.keys, state.fetchedAt <= now, now < state.freshUntil {
                return .respond(.success(keys))
            }
            if state.isFetching { return .wait(startsFetch: false) }
            guard Self.mayFetch(state, now) else {
                return .respond(Self.usableKeys(state, now, self.provider))
            }
            return .wait(startsFetch: true)
        }
    }

    /// Keys that replaced these, fetched unless the last fetch was less than a minute ago; then the
    /// same ones. Unknown names of keys cause no more fetches than that.
    func newer(than old: KeySet) async throws(ServiceError) -> KeySet {
        let keys = try await keys { state, now in
            if let keys = state.keys, keys !== old { return .respond(.success(keys)) }
            if state.isFetching { return .wait(startsFetch: false) }
            guard Self.mayFetch(state, now) else {
                return .respond(Self.usableKeys(state, now, self.provider))
            }
            return .wait(startsFetch: true)
        }
        // The token may be signed with a key that could not be fetched.
        if keys === old, let failure = state.withLock({ $0.failure }) {
            throw .unavailable(cause: failure)
        }
        return keys
    }

    private func keys(
        _ decide: @Sendable (State, Timestamp) -> Decision
    ) async throws(ServiceError) -> KeySet {
        let now = environment.system.now
        let outcome = await withUnsafeContinuation { (caller: Caller) in
            let decision = state.withLock { state -> Decision in
                if state.isOver { return .respond(Self.stopped) }
                let decision = decide(state, now)
                guard case .wait(let startsFetch) = decision else { return decision }
                guard state.waiting.count < Self.limitWaiting else {
                    return .respond(.failure(.busy))
                }
                state.waiting.append(caller)
                if startsFetch { state.isFetching = true }
                return decision
            }
            switch decision {
            case .respond(let outcome): caller.resume(returning: outcome)
            case .wait(startsFetch: true): requested.yield()
            case .wait(startsFetch: false): break
            }
        }
        return try outcome.get()
    }

    private static func mayFetch(_ state: State, _ now: Timestamp) -> Bool {
        guard let last = state.lastFetch else { return true }
        let pause = state.keys == nil ? shortPauseMilliseconds : pauseMilliseconds
        // If the clock was set back, the time starts again.
        return now < last || now >= last.advanced(byMilliseconds: pause)
    }

    /// The keys that are there, unless they are too old to be used without the provider.
    private static func usableKeys(
        _ state: State, _ now: Timestamp, _ provider: OpenIDProvider
    ) -> Outcome {
        if let keys = state.keys,
            now < state.fetchedAt.advanced(byMilliseconds: limitMilliseconds)
        {
            return .success(keys)
        }
        let reason = state.failure ?? "the keys of the provider \(provider.name) are too old"
        return .failure(.unavailable(cause: reason))
    }

    private static let stopped = Outcome.failure(
        .unavailable(cause: "the server is stopping: no keys of providers are fetched"))

    // MARK: Fetching

    /// Fetches keys when they are needed, until the task is cancelled. Called once.
    package func run() async {
        for await _ in requests {
            do throws(OpenIDFailure) {
                let (keys, seconds) = try await fetch()
                succeeded(keys, maxAgeSeconds: seconds)
            } catch { failed(error) }
        }
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for caller in waiting { caller.resume(returning: Self.stopped) }
    }

    /// The configuration names the key set (OpenID Connect Discovery 1.0 §4). Both have to arrive
    /// within one time limit.
    private func fetch() async throws(OpenIDFailure) -> (KeySet, Int64) {
        let deadline = environment.system.uptime + environment.timeout
        let configuration = try await document(provider.discovery, by: deadline)
        guard let members = JSONMembers(configuration.body), let issuer = members.text("issuer")
        else { throw OpenIDFailure(reason: "the configuration is not a JSON object with issuer") }
        guard issuer.hasBytes(of: provider.issuer) else {
            throw OpenIDFailure(reason: "the configuration is of another issuer")
        }
        guard let url = members.text("jwks_uri").flatMap(OpenIDProvider.url) else {
            throw OpenIDFailure(reason: "the configuration has no jwks_uri with https")
        }
        let keys = try await document(url, by: deadline)
        return (try KeySet(keys.body), keys.maxAgeSeconds)
    }

    private static let limitBytes = 256 << 10

    /// A document of the provider, and the time for which it may be used without being fetched
    /// again.
    private func document(
        _ url: HTTPURL, by deadline: Duration
    ) async throws(OpenIDFailure) -> (body: [UInt8], maxAgeSeconds: Int64) {
        let response: HTTPResponse
        do throws(HTTPClientError) {
            response = try await environment.get(
                url, [.accept: "application/json"], limitBytes: Self.limitBytes, by: deadline)
        } catch { throw OpenIDFailure(reason: "\(url): \(error)") }
        guard response.status == .ok, case .bytes(let body) = response.body else {
            throw OpenIDFailure(reason: "\(url): the status is \(response.status.code), not 200")
        }
        let control = CacheControl(response.fields)
        return (body, control.forbidsStorage ? 0 : control.lifetimeSeconds ?? 0)
    }

    private func succeeded(_ keys: KeySet, maxAgeSeconds: Int64) {
        let now = environment.system.now
        let seconds = min(maxAgeSeconds, Self.limitMilliseconds / 1_000)
        let lifetime = max(seconds * 1_000, Self.shortestMilliseconds)
        let waiting = state.withLock { state in
            state.keys = keys
            state.fetchedAt = now
            state.freshUntil = now.advanced(byMilliseconds: lifetime)
            state.failure = nil
            return Self.end(&state, now)
        }
        for caller in waiting { caller.resume(returning: .success(keys)) }
    }

    private func failed(_ failure: OpenIDFailure) {
        let now = environment.system.now
        let reason =
            "the keys of the provider \(provider.name) cannot be fetched: \(failure.reason)"
        let (waiting, outcome) = state.withLock { state in
            state.failure = reason
            let waiting = Self.end(&state, now)
            return (waiting, Self.usableKeys(state, now, provider))
        }
        // Without keys, the cause is logged with each rejected request.
        if case .success = outcome { log(reason) }
        for caller in waiting { caller.resume(returning: outcome) }
    }

    /// The fetch has ended for these callers.
    private static func end(_ state: inout State, _ now: Timestamp) -> [Caller] {
        state.lastFetch = now
        state.isFetching = false
        defer { state.waiting = [] }
        return state.waiting
    }
}
