package import ArticleAPI
package import ArticleAccounts
package import ArticleServiceCore
public import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// The change streams of a backend: counts them, and feeds their channels while `run` is called.
public final class ChangeStreams: Sendable {
    private let changes: ChangeService
    private let scheduler: RequestScheduler
    private let access: Authenticator
    private let limits: ChangeStreamLimits
    private let pace: ChangeStreamIntervals
    private let system: SystemEnvironment
    private let log: @Sendable (String) -> Void
    private let catchUps = CatchUpQueue()
    private let kept = BatchByteCounter()
    private let state = Lock(State())
    /// Yields after a commit; commits are merged until the value is taken.
    private let commits: AsyncStream<Void>
    private let committed: AsyncStream<Void>.Continuation
    /// Yields when a stream is opened.
    private let openings: AsyncStream<Void>
    private let opened: AsyncStream<Void>.Continuation

    private struct State {
        var channels: [String: SharedChannel] = [:]
        var streams = 0
        /// The number of streams of each address.
        var addresses: [UInt64: Int] = [:]
        var credentials = StreamCredentials()
        /// The audiences whose changes have not been read.
        var unread = AffectedAudiences.nobody
        var tick = 0
        var statistics = ChangeStreamStatistics()
        /// The last logged failure; `nil` after a success.
        var failure: String?
    }

    private struct SharedChannel {
        let channel: ChangeChannel
        var count: Int
    }

    package init(
        _ changes: ChangeService, scheduler: RequestScheduler, access: Authenticator,
        limits: ChangeStreamLimits,
        pace: ChangeStreamIntervals = ChangeStreamIntervals(), system: SystemEnvironment,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.changes = changes
        self.scheduler = scheduler
        self.access = access
        self.limits = limits
        self.pace = pace
        self.system = system
        self.log = log
        (commits, committed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (openings, opened) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        changes.articles.store.observeChanges(self)
        access.observe { [weak self] end in self?.endStreams(of: end) }
    }

    /// Current counts, for metrics.
    public var statistics: ChangeStreamStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.open = state.streams
            statistics.channels = state.channels.count
            return statistics
        }
    }

    // MARK: Opening and closing

    /// Returns the response to a request for a stream; faults of the request are found before the
    /// stream begins.
    package func open(
        _ request: StreamChangesRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let subscriber = try subscriber(for: request, by: caller, in: context)
        // Access may have ended since the request was authenticated.
        if await !access.isCurrent(caller) { subscriber.end(.accessEnded) }
        let position = try await queued(
            RequestCost(), for: RequestScheduler.client(caller, context)
        ) {
            [self] () async throws(ServiceError) in try await start(of: request, for: subscriber)
        }
        try await subscriber.begin(after: position)
        opened.yield()
        return subscriber.response
    }

    // It is not inlined because the client's task keeps the memory of `open`'s frame.
    @inline(never)
    private func subscriber(
        for request: StreamChangesRequest, by caller: Principal, in context: RequestContext
    ) throws(ServiceError) -> ChangeSubscriber {
        var page = request.changes
        page.since = nil
        page.limit = BodyHTML.needsBody(page.fields) ? 10 : 100
        let channel = try enter(try ChangeList(page, caller: caller), context)
        let subscriber = ChangeSubscriber(
            principal: caller, channel: channel, streams: self, context: context)
        state.withLock { $0.credentials.insert(subscriber) }
        return subscriber
    }

    /// Returns the position of the client; `nil` for the beginning.
    private func start(
        of request: StreamChangesRequest, for subscriber: ChangeSubscriber
    ) async throws(ServiceError) -> ChangePosition? {
        let list = subscriber.list
        if let id = request.lastEventID {
            guard id != FetchChangesRequest.now else { throw .invalidToken }
            return try await changes.position(id, in: list)
        }
        guard request.changes.since == FetchChangesRequest.now else {
            return try await changes.position(request.changes.since, in: list)
        }
        return try await changes.present(of: list)
    }

    /// Counts a stream, and finds its channel. The subscriber leaves it in the end.
    private func enter(
        _ list: ChangeList, _ context: RequestContext
    ) throws(ServiceError) -> ChangeChannel {
        let name = "\(list.name)#\(list.fields?.names.joined(separator: ",") ?? "*")"
        let address = context.limitedClient
        return try state.withLock { (state) throws(ServiceError) in
            guard state.streams < limits.total else {
                state.statistics.rejected["total", default: 0] += 1
                throw .tooManyStreams(ofAddress: false)
            }
            if let address {
                guard state.addresses[address, default: 0] < limits.perAddress ?? .max else {
                    state.statistics.rejected["address", default: 0] += 1
                    throw .tooManyStreams(ofAddress: true)
                }
                state.addresses[address, default: 0] += 1
            }
            state.streams += 1
            let members = state.channels[name]
            let channel =
                members?.channel ?? ChangeChannel(name, list, tokens: changes.tokens, total: kept)
            state.channels[name] = SharedChannel(channel: channel, count: (members?.count ?? 0) + 1)
            return channel
        }
    }

    /// Called when a subscriber is released.
    func left(
        _ subscriber: ObjectIdentifier, of principal: Principal, _ channel: ChangeChannel,
        _ context: RequestContext, isByClient: Bool
    ) {
        let address = context.limitedClient
        state.withLock { state in
            state.streams -= 1
            if let address {
                let count = state.addresses[address, default: 1] - 1
                state.addresses[address] = count > 0 ? count : nil
            }
            state.credentials.remove(subscriber, of: principal)
            if isByClient { state.statistics.ended["client", default: 0] += 1 }
            guard var members = state.channels[channel.name], members.channel === channel else {
                return
            }
            members.count -= 1
            state.channels[channel.name] = members.count > 0 ? members : nil
        }
    }

    // MARK: Ending

    private func endStreams(of end: AccessRevocation) {
        let subscribers = state.withLock { $0.credentials.subscribers(of: end) }
        for subscriber in subscribers { subscriber.end(.accessEnded) }
    }

    func count(_ ending: ChangeStreamEnding) {
        state.withLock { $0.statistics.ended[ending.name, default: 0] += 1 }
    }

    /// Returns the delay after which a client should return, in milliseconds: spread over a second
    /// for each thousand of clients.
    func delay(after ending: ChangeStreamEnding) -> Int {
        var generator = system.generator
        let most = max(1_000, state.withLock { $0.streams })
        let spread = Int.random(in: 0..<most, using: &generator)
        if case .overLimit(let seconds) = ending { return seconds * 1_000 + spread }
        return 500 + spread
    }

    // MARK: Feeding

    /// Reads a page from the store. The place in the channel is marked first, so that the channel
    /// has everything that the page misses.
    func page(
        of channel: ChangeChannel, after start: ChangePosition?, for client: WorkerPool.Client
    ) async throws(ServiceError) -> CatchUpPage {
        try await queued(channel.list.cost, for: client) {
            [self] () async throws(ServiceError) in try await read(channel, after: start)
        }
    }

    /// Does the work in the client's turn, when the queue comes to it.
    private func queued<Value: Sendable>(
        _ cost: RequestCost, for client: WorkerPool.Client,
        _ work: @escaping @Sendable () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await catchUps.run(for: client) { [scheduler] () async throws(ServiceError) in
            try await scheduler.take(cost, of: client) { (_) throws(ServiceError) in
                try await work()
            }
        }
    }

    private func read(
        _ channel: ChangeChannel, after start: ChangePosition?
    ) async throws(ServiceError) -> CatchUpPage {
        if channel.position == nil {
            channel.begin(at: try await changes.present(of: channel.list))
        }
        let mark = channel.mark
        let slice = try await changes.slice(of: channel.list, after: start)
        var bytes = channel.encoder.events(of: slice, after: start).bytes
        let isLast = slice.isLast && slice.position.sequence >= mark.sequence
        if isLast { bytes += channel.encoder.ready(at: slice.position) }
        return CatchUpPage(
            bytes: bytes, position: slice.position, isLast: isLast, cursor: mark.cursor)
    }

    /// Feeds the channels until the task is cancelled. Called once.
    public func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.catchUps.serve(width: 64) }
            group.addTask { await self.feed() }
            group.addTask { await self.keepAlive() }
        }
    }

    private func feed() async {
        for await _ in commits {
            // First come the commit's writer, and readers of its changes.
            await system.sleep(pace.delayPerStream * statistics.open)
            let (channels, streams) = takeUnread()
            var pause = pace.pausePerStream * streams
            var isComplete = true
            for channel in channels where !Task.isCancelled {
                await makeRoom()
                if await !advance(channel) { isComplete = false }
            }
            if isComplete {
                state.withLock { $0.failure = nil }
            } else {
                pause = max(pause, pace.pauseAfterFailure)
            }
            if pause > .zero { await system.sleep(pause) }
        }
    }

    /// Returns the channels whose changes have not been read, and the number of their streams.
    /// Those of the public come first, and do not wait for changes that they cannot see.
    private func takeUnread() -> (channels: [ChangeChannel], streams: Int) {
        state.withLock { state in
            let audiences = state.unread
            state.unread = .nobody
            let members = state.channels.values.filter { audiences.affects($0.channel.list.query) }
            let channels = members.map(\.channel)
            let sorted = channels.filter(\.isPublic) + channels.filter { !$0.isPublic }
            return (sorted, members.reduce(0) { $0 + $1.count })
        }
    }

    /// Waits until the batches of all channels are within their limit. Those who are behind for
    /// longer than a moment lose their place.
    private func makeRoom() async {
        while kept.isExceeded, !Task.isCancelled {
            let (tick, channels) = state.withLock { state in
                (state.tick, state.channels.values.map(\.channel))
            }
            for channel in channels { channel.drop(through: tick - 2) }
            guard kept.isExceeded else { return }
            await system.sleep(pace.tick)
        }
    }

    /// Gives a channel everything that has happened; false if that has to be repeated.
    private func advance(_ channel: ChangeChannel) async -> Bool {
        do throws(ServiceError) {
            var isLast = false
            while !isLast, let start = channel.position {
                isLast = try await scheduler.take(channel.list.cost, of: WorkerPool.Client(.house))
                {
                    (_) throws(ServiceError) in
                    let slice = try await changes.slice(of: channel.list, after: start)
                    let events = channel.encoder.events(of: slice, after: start)
                    let tick = state.withLock { state in
                        state.statistics.changes += slice.items.count
                        return state.tick
                    }
                    channel.append(events, through: slice.position, tick: tick)
                    return slice.isLast
                }
            }
            return true
        } catch {
            if Task.isCancelled { return true }
            switch error {
            case .syncReset, .notFound:
                close(channel, ChangeStreamEnding(error))
                return true
            default: break
            }
            failed("\(error)")
            return false
        }
    }

    private func close(_ channel: ChangeChannel, _ ending: ChangeStreamEnding) {
        state.withLock { state in
            if state.channels[channel.name]?.channel === channel {
                state.channels[channel.name] = nil
            }
        }
        channel.close(ending)
    }

    private func failed(_ reason: String) {
        let isNew = state.withLock { state in
            state.unread = .everybody
            defer { state.failure = reason }
            return state.failure != reason
        }
        if isNew { log("cannot read changes for their streams: \(reason)") }
        committed.yield()
    }

    /// Sends comments and ends streams whose credentials have expired, while there are streams.
    private func keepAlive() async {
        for await _ in openings {
            while !Task.isCancelled, state.withLock({ $0.streams > 0 }) {
                await system.sleep(pace.tick)
                tick()
            }
        }
    }

    /// Performs the work that is due at fixed intervals.
    package func tick() {
        let (tick, channels, subscribers) = state.withLock { state in
            state.tick += 1
            let channels = state.channels.values.map(\.channel)
            return (state.tick, channels, state.credentials.subscribers(where: access.isExpired))
        }
        for channel in channels {
            channel.drop(through: tick - pace.keptTicks)
            if tick % pace.ticksPerComment == 0 { channel.appendComment(tick: tick) }
        }
        for subscriber in subscribers { subscriber.end(.accessEnded) }
    }
}

extension ChangeStreams: ChangeObserver {
    public func didCommit(_ changes: CommitChanges) {
        let hasReaders = state.withLock { state in
            guard !state.channels.isEmpty else { return false }
            state.unread.add(AffectedAudiences(changes))
            return true
        }
        if hasReaders { committed.yield() }
    }
}
