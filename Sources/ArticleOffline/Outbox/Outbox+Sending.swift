import ArticleAPI
import ArticleClient

/// The schedule of the writes.
extension Outbox {
    /// Sends present and later writes, until the task is cancelled. Call it once while the app
    /// runs; a second call returns at once.
    public func run() async {
        guard alarm == nil else { return }
        let (wakes, alarm) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.alarm = alarm
        alarm.yield()
        await withDiscardingTaskGroup { group in
            group.addTask { [auth = backend.auth] in
                for await _ in auth.states { await self.wake() }
            }
            group.addTask { [changes = backend.networkChanges] in
                for await _ in changes { await self.networkDidChange() }
            }
            for await _ in wakes {
                for entry in await takeDue() {
                    group.addTask { await self.send(entry) }
                }
                if let (time, delay) = nextTimer() {
                    group.addTask { [environment] in
                        try? await environment.sleep(delay)
                        await self.timerHasFired(time)
                    }
                }
            }
            group.cancelAll()
        }
        self.alarm = nil
        timer = nil
        setPause(.notRunning)
    }

    /// Begins to send writes that are due, as far as the width allows. It is stored that it has
    /// begun.
    private func takeDue() async -> [OutboxEntry] {
        guard let account = store.place.account, isSignedIn(to: account) else {
            setPause(.signedOut)
            return []
        }
        var begun: [OutboxEntry] = []
        do throws(OfflineError) {
            let time = now
            try await change { $0.expire(at: time) }
            while flights < width, !Task.isCancelled,
                let next = queue?.sendable(at: time).first(where: { $0.account == account })
            {
                flights += 1
                do throws(OfflineError) {
                    begun += try await change { $0.begin(next.number, at: time) }.stored
                } catch {
                    flights -= 1
                    guard error == .noSuchWrite else { throw error }
                }
            }
            setPause(nil)
        } catch { noteFailure(error) }
        return begun
    }

    /// Without credentials that can be read, sending fails, and is tried again later.
    private func isSignedIn(to account: String) -> Bool {
        switch backend.auth.sessionState {
        case .signedIn(let current): current == account
        case .unavailable: true
        case .signedOut, .expired: false
        }
    }

    private func noteFailure(_ error: OfflineError) {
        guard error != .noSuchWrite else { return }
        setPause(.storeFailed(error))
    }

    // MARK: Time

    /// The pause after a failure of the store.
    private static let storeRest: Int64 = 30_000

    /// The next time at which something is due, unless there is a timer for it already.
    private func nextTimer() -> (Timestamp, Duration)? {
        let now = now
        let next: Timestamp?
        switch pause {
        case .signedOut, .notRunning: next = nil
        case .storeFailed: next = now.advanced(byMilliseconds: Self.storeRest)
        case nil: next = flights < width ? queue?.nextTime(after: now) : nil
        }
        guard let next, timer.map({ next < $0 || $0 <= now }) ?? true else { return nil }
        timer = next
        return (next, .milliseconds(next.milliseconds - now.milliseconds))
    }

    private func timerHasFired(_ time: Timestamp) {
        if timer == time { timer = nil }
        wake()
    }

    private static let (firstBound, longestBound): (Int64, Int64) = (2, 300)

    /// Returns the time of the next attempt: after a random time between half of a bound and all of
    /// it, so that clients that failed together do not come back together. The bound doubles each
    /// time. A response that asks for more time gets it, up to the longest bound. The outcome of an
    /// attempt that the backend is still processing is known soon, however many there were.
    private func retryTime(after attempts: Int, _ delivery: OutboxDelivery) -> Timestamp {
        let doublings = min(max(attempts - 1, 0), 10)
        let bound = min(Self.firstBound << Int64(doublings), Self.longestBound)
        let seconds = bound / 2 + environment.random(bound - bound / 2)
        let asked = min(delivery.retryAfter?.components.seconds ?? 0, Self.longestBound)
        let delay = delivery.isInFlight && asked > 0 ? asked : max(seconds, asked, 1)
        return now.advanced(byMilliseconds: delay * 1_000)
    }

    // MARK: One write

    private func send(_ entry: OutboxEntry) async {
        let count = networkChangeCount
        let delivery = await deliver(entry)
        // What failed on the former network is tried at once on the present one.
        let isOutdated = count != networkChangeCount && !delivery.isInFlight
        let retryTime = isOutdated ? now : retryTime(after: entry.attempts, delivery)
        await finish(entry, delivery, retryAt: retryTime)
        flights -= 1
        wake()
    }

    /// Stores the outcome, and the updates of the response, in one step.
    private func finish(
        _ entry: OutboxEntry, _ delivery: OutboxDelivery, retryAt retryTime: Timestamp
    ) async {
        let key = newKey()
        func finished(_ queue: inout OutboxQueue) -> OutboxQueue.Edit? {
            queue.finish(entry.number, delivery.outcome, newKey: key, retryAt: retryTime)
        }
        do throws(OfflineError) {
            try await change(with: delivery.updates, finished)
            return
        } catch { if error == .noSuchWrite { return } }
        do throws(OfflineError) {
            // The store may have no room for the response.
            try await change(finished)
        } catch {
            // It is stored that it was sent; the backend gives the same response to its key again.
            changeInMemory {
                $0.finish(entry.number, .noResponse, newKey: key, retryAt: retryTime)
            }
            noteFailure(error)
        }
    }
}
