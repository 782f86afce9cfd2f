import ArticleAPI
import ArticleResources
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform

/// Sends the public's changes to one receiver, a batch at a time, from where the last delivery
/// ended.
final class WebhookSender: Sendable {
    private let number: Int
    private let receiver: WebhookReceiver
    private let store: any ArticleStore
    private let changes: ChangeService
    private let environment: OutboundEnvironment
    private let notify: @Sendable (WebhookNotice) -> Void
    private let state: Lock<State>
    /// Yields after a commit; commits are merged until the value is taken.
    private let commits: AsyncStream<Void>
    private let committed: AsyncStream<Void>.Continuation

    private struct State {
        /// As stored, or newer if it could not be stored.
        var record: WebhookRecord
        /// The leader's term in which the record was read.
        var term: Int?
        /// True if a failure was reported since the last delivery.
        var hasWarned = false
        var delivered = 0
        var failed = 0
        var resets = 0
    }

    /// The next action after a step.
    private enum Outcome {
        /// There may be more to send.
        case moved
        /// The receiver has everything.
        case current
        case failed
    }

    private static let limitBatch = 100
    /// After this time without a delivery, changes are skipped.
    private static let patienceMilliseconds: Int64 = 24 * 60 * 60 * 1_000

    init(
        number: Int, _ receiver: WebhookReceiver, _ record: WebhookRecord,
        store: any ArticleStore, changes: ChangeService, _ environment: OutboundEnvironment,
        report: @escaping @Sendable (WebhookNotice) -> Void
    ) {
        self.number = number
        self.receiver = receiver
        self.store = store
        self.changes = changes
        self.environment = environment
        notify = report
        state = Lock(State(record: record, term: store.node.term))
        (commits, committed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Identifies the receiver in the store.
    var url: [UInt8] { state.withLock { $0.record.url } }

    package var statistics: WebhookStatistics {
        let now = environment.system.now
        let state = state.withLock { $0 }
        // Only the leader knows.
        let since = store.node.isLeader ? state.record.failingSince ?? now : now
        return WebhookStatistics(
            number: number, host: receiver.host, delivered: state.delivered,
            failed: state.failed, resets: state.resets,
            failingSeconds: Double(max(0, now.milliseconds - since.milliseconds)) / 1_000)
    }

    /// Returns the number of changes that the receiver does not have yet, at most
    /// `Webhooks.limitPending`; `nil` if they cannot be read.
    package func pendingChanges() async -> Int? {
        var token = state.withLock { $0.record.token }
        if !store.node.isLeader {
            let url = url
            guard let records = try? await store.webhooks() else { return nil }
            token = records.first { $0.url == url }?.token ?? token
        }
        var count = 0
        while true {
            let limit = Webhooks.limitPending - count
            guard let page = try? await changes.publicPage(since: token, limit: limit) else {
                return nil
            }
            count += page.changes.count
            token = page.next
            guard page.more, count < Webhooks.limitPending else { return count }
        }
    }

    /// There may be something to send.
    func wake() { committed.yield() }

    /// Sends changes until the task is cancelled, while this process is the leader.
    package func run() async {
        var commits = commits.makeAsyncIterator()
        var failures = 0
        while !Task.isCancelled {
            guard await leads() else { continue }
            switch await step() {
            case .moved: failures = 0
            case .current:
                failures = 0
                await commits.next()
            case .failed:
                failures += 1
                await environment.system.sleep(delay(afterFailures: failures))
            }
        }
    }

    /// Waits until this process is the leader; `false` if it does not know which changes others
    /// have sent.
    private func leads() async -> Bool {
        await store.node.waitForLeadership()
        guard let term = store.node.term else { return false }
        guard state.withLock({ $0.term != term }) else { return true }
        do throws(StoreError) {
            let url = url
            let record = try await store.webhooks().first { $0.url == url }
            state.withLock { state in
                if let record { state.record = record }
                state.term = term
            }
            return true
        } catch {
            warn("the position cannot be read: \(error.reason)")
            await environment.system.sleep(delay(afterFailures: 1))
            return false
        }
    }

    /// One second, doubled with each failure up to five minutes, and up to half of it less, so that
    /// senders that failed together do not return together.
    private func delay(afterFailures count: Int) -> Duration {
        let longest = min(1 << min(count - 1, 9), 300)
        return .seconds(longest) * (0.5 + environment.system.randomFraction / 2)
    }

    // MARK: One step

    /// Sends the next batch, if there is one.
    private func step() async -> Outcome {
        var record = state.withLock { $0.record }
        let page: ChangePage<Article>
        do throws(ServiceError) {
            page = try await changes.publicPage(since: record.token, limit: Self.limitBatch)
        } catch {
            guard error.endsToken else { return unread(error) }
            return await reset(record, "the database has a different history")
        }
        guard page.changes.isEmpty else { return await send(page, record) }
        if page.next != record.token {
            record.token = page.next
            _ = await keep(record)
        }
        return page.more ? .moved : .current
    }

    private func send(_ page: ChangePage<Article>, _ record: WebhookRecord) async -> Outcome {
        let batch = WebhookBatch(page, since: record.token, isReset: record.isReset)
        let fields = batch.fields(
            at: environment.system.now, signedWith: receiver.secret, agent: environment.agent)
        let reason: String
        do throws(HTTPClientError) {
            let status = try await environment.deliver(batch.body, fields, to: receiver.url)
            if (200..<300).contains(status.code) {
                await delivered(page.next, record)
                return page.more ? .moved : .current
            }
            reason = "the response has status \(status.code)"
        } catch {
            // Not the receiver's fault.
            if Task.isCancelled { return .failed }
            reason = error.description
        }
        state.withLock { $0.failed += 1 }
        return await failed(record, reason)
    }

    private func delivered(_ next: String, _ former: WebhookRecord) async {
        var record = former
        record.token = next
        record.failingSince = nil
        record.isReset = false
        state.withLock { $0.delivered += 1 }
        guard await keep(record) else { return }
        let hadFailed = state.withLock { state in
            defer { state.hasWarned = false }
            return state.hasWarned || former.failingSince != nil || former.isReset
        }
        if hadFailed { report(.recovered) }
    }

    private func failed(_ former: WebhookRecord, _ reason: String) async -> Outcome {
        let now = environment.system.now
        // If the clock was set back, the time starts again.
        if let since = former.failingSince, since <= now {
            guard now.milliseconds - since.milliseconds < Self.patienceMilliseconds else {
                var record = former
                record.failingSince = nil
                return await reset(record, "nothing was delivered for 24 hours: \(reason)")
            }
        } else {
            var record = former
            record.failingSince = now
            _ = await keep(record)
        }
        warn(reason)
        return .failed
    }

    /// Skips to the present.
    private func reset(_ former: WebhookRecord, _ reason: String) async -> Outcome {
        var record = former
        do throws(ServiceError) {
            record.token = try await changes.publicPresent()
        } catch { return unread(error) }
        record.isReset = true
        state.withLock { state in
            state.resets += 1
            // The next failure is the first of another series.
            if record.failingSince == nil { state.hasWarned = false }
        }
        _ = await keep(record)
        report(.reset(reason: reason))
        return .moved
    }

    private func unread(_ error: ServiceError) -> Outcome {
        warn("the changes cannot be read: \(error.reason)")
        return .failed
    }

    /// Continues with the record. If it cannot be stored, a restart repeats batches.
    private func keep(_ record: WebhookRecord) async -> Bool {
        state.withLock { $0.record = record }
        do throws(StoreError) {
            try await store.putWebhook(record)
            return true
        } catch {
            // Another process that leads goes on from the stored position.
            if store.node.isLeader { warn("the position cannot be stored: \(error.reason)") }
            return false
        }
    }

    // MARK: Notices

    private func warn(_ reason: String) {
        let isFirst = state.withLock { state in
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        if isFirst { report(.failing(reason: reason)) }
    }

    private func report(_ event: WebhookNotice.Event) {
        notify(WebhookNotice(number: number, host: receiver.host, event: event))
    }
}
