import ArticleAPI
import BroadsheetHTTP

/// Follows a backend over one stream after another, or by polling.
///
/// It continues after the last delivered event; events that have arrived, but that were not
/// delivered, are requested again.
struct LiveFollower {
    private static let pageLimit = 100
    /// The maximum silence of a stream: the backend sends a comment every 15 s.
    private static let stallTimeout = Duration.seconds(45)
    private static let firstDelay = Duration.seconds(1)
    private static let limitDelay = Duration.seconds(30)
    private static let shortestPause = Duration.seconds(25)
    private static let pauseJitter = Duration.seconds(10)
    private static let pollingTime = Duration.seconds(600)

    private let service: BackendService
    private let options: RequestOptions
    private let gate: SuspensionGate
    private let reporter: LiveReporter?
    private let waitLimit: WaitLimit
    /// True if the session is one of the reporter's owner.
    private var isAdmitted = false
    /// The request to follow; `since` is the token of the last page.
    private var request: FetchChangesRequest
    /// True if the token is that of an event, and not the one to begin with.
    private var hasEventToken = false
    /// True if the last page left nothing to fetch.
    private var isCurrent = false
    private var hasRestarted = false
    private var connection: LiveConnection?
    /// The time at which the next stream is tried, in `ClientEnvironment.now` time; `nil` unless it
    /// is polling.
    private var pollingEnd: Duration?
    /// To wait before the next request.
    private var delay: Duration?
    /// The interruptions since the last page.
    private var interruptions = 0
    private var backendDelay: Duration?
    private var resumptions = 0

    init(
        _ service: BackendService, _ request: FetchChangesRequest, _ options: RequestOptions,
        _ gate: SuspensionGate, _ reporter: LiveReporter?
    ) {
        self.service = service.withoutRetries
        self.request = request
        self.options = options
        self.gate = gate
        self.reporter = reporter
        waitLimit = WaitLimit(service.auth, service.auth.sessionID, by: service.environment.now)
    }

    mutating func next(
        isolation actor: isolated (any Actor)?
    ) async throws(BackendError) -> SyncStep {
        while true {
            guard !Task.isCancelled else {
                connection = nil
                throw .cancelled
            }
            if let reporter, !isAdmitted {
                try await waitLimit.auth.check(waitLimit.session, isOf: reporter.owner)
                isAdmitted = true
            }
            guard let current = gate.resumptions else {
                connection = nil
                try await gate.wait(waitLimit, isolation: actor)
                continue
            }
            if current != resumptions { begin(after: current) }
            do throws(Interruption) {
                if let page = try await page(isolation: actor) { return deliver(page) }
            } catch {
                if try recover(from: error) { return .restart }
            }
        }
    }

    /// It was suspended: whatever it waited for, it connects at once.
    private mutating func begin(after resumptions: Int) {
        self.resumptions = resumptions
        connection = nil
        pollingEnd = nil
        delay = nil
        interruptions = 0
    }

    /// Returns the next page; `nil` to decide again about the next step.
    private mutating func page(
        isolation actor: isolated (any Actor)?
    ) async throws(Interruption) -> ChangePage<Article>? {
        if let delay {
            let sleep = service.environment.sleep
            let isOver: Bool? = try await run(isolation: actor) {
                do { try await sleep(delay) } catch { return .failure(Interruption(.cancelled)) }
                return .success(true)
            }
            guard isOver == true else { return nil }
            self.delay = nil
        }
        if let pollingEnd, isCurrent, service.environment.now() >= pollingEnd {
            self.pollingEnd = nil
        }
        // A reporting follower opens a stream only when there is nothing left to catch up with.
        if pollingEnd != nil || (reporter != nil && connection == nil && !isCurrent) {
            return try await polled(isolation: actor)
        }
        guard let connection else {
            try report(.requesting)
            connection = try await run(isolation: actor) {
                [service, options, waitLimit, streamRequest, limit = request.limit] in
                var options = options
                options.streamStallTimeout = options.streamStallTimeout ?? Self.stallTimeout
                return await service.liveConnection(
                    streamRequest, pageLimit: limit ?? Self.pageLimit, options,
                    in: waitLimit.session)
            }
            if connection != nil { try report(.streaming) }
            return nil
        }
        return try await run(isolation: actor) { await connection.page() }
    }

    private func report(_ activity: LiveActivity) throws(Interruption) {
        do throws(BackendError) { try reporter?.report(activity) } catch {
            throw Interruption(error)
        }
    }

    private var streamRequest: StreamChangesRequest {
        StreamChangesRequest(request, lastEventID: hasEventToken ? request.since : nil)
    }

    private mutating func polled(
        isolation actor: isolated (any Actor)?
    ) async throws(Interruption) -> ChangePage<Article>? {
        try report(.requesting)
        let page = try await run(isolation: actor) { [service, options, waitLimit, request] in
            await service.polledPage(request, options, in: waitLimit.session)
        }
        guard let page else { return nil }
        if page.more {
            // A backend that stays at a token would be asked without end.
            guard page.next != request.since else {
                throw Interruption(
                    .mapping(
                        .invalid(
                            path: "$.next", expected: "the token of a later page",
                            found: "the token of the same page")))
            }
        } else if pollingEnd != nil {
            let jitter = service.environment.random(Self.pauseJitter.milliseconds)
            delay = Self.shortestPause + .milliseconds(jitter)
        }
        let hasUpdates = !page.changes.isEmpty || page.next != request.since || !isCurrent
        if !hasUpdates { try report(.polling) }
        return hasUpdates ? page : nil
    }

    private func run<Value: Sendable>(
        isolation actor: isolated (any Actor)?,
        _ work: @escaping @Sendable () async -> Result<Value, Interruption>
    ) async throws(Interruption) -> Value? {
        try await gate.run(since: resumptions, waitLimit, isolation: actor, work)
    }

    /// The page's token is adopted with it.
    private mutating func deliver(_ page: ChangePage<Article>) -> SyncStep {
        request.since = page.next
        hasEventToken = true
        isCurrent = !page.more
        interruptions = 0
        if isCurrent { hasRestarted = false }
        return .page(page)
    }

    // MARK: Interruptions

    /// Decides the next step; throws errors that a repetition cannot fix.
    ///
    /// - Returns: true if the copy has to start again.
    private mutating func recover(from interruption: Interruption) throws(BackendError) -> Bool {
        backendDelay = connection?.retry ?? backendDelay
        connection = nil
        delay = nil
        let error = interruption.error
        if request.isRejected(with: error), !hasRestarted {
            request.since = nil
            hasEventToken = false
            isCurrent = false
            hasRestarted = true
            return true
        }
        guard error.isTransient else { throw error }
        if interruption.isSwallowed {
            pollingEnd = service.environment.now() + Self.pollingTime
            notify(.retried(after: .zero, because: error))
            return false
        }
        // Without a network, a stream is as good as a poll, and better when the network is back.
        if error.problem == nil { pollingEnd = nil }
        interruptions += 1
        // Only the backend may ask for a long delay.
        let wait = delay(retryAfter: error.problem?.retryAfter)
        delay = wait
        try reporter?.report(.waiting(wait, because: error))
        notify(.retried(after: wait, because: error))
        return false
    }

    private func delay(retryAfter: Duration?) -> Duration {
        var policy = RetryPolicy()
        policy.base = backendDelay ?? Self.firstDelay
        policy.longest = Self.limitDelay
        return policy.delay(
            behind: interruptions, retryAfter: retryAfter, random: service.environment.random)
    }

    /// Reports to the observers about the request that follows.
    private func notify(_ kind: BackendEvent.Kind) {
        guard service.network.isObserved else { return }
        let isStreamed = pollingEnd == nil
        var next =
            isStreamed ? RequestPrinter.print(streamRequest) : RequestPrinter.print(request)
        let baseURL = service.configuration.baseURL
        next.target = baseURL.target(next.target)
        let context = ExchangeContext(
            ExchangeContext.ID(request: service.network.nextRequest(), attempt: 0),
            to: baseURL.origin, isStreamed: isStreamed)
        service.network.notify(BackendEvent(kind, next, context))
    }
}
