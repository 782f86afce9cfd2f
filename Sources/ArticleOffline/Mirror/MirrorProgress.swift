import ArticleAPI
import ArticleClient

/// The activities of the calls of a mirror's `run` and `catchUp`.
struct MirrorProgress {
    typealias State = ArticleMirror.State

    /// The call of a mirror's user. Calls of one kind share their progress.
    enum Mode { case run, catchUp }

    /// The calls of one kind.
    private struct Calls {
        var count = 0
        var activity = State.idle
        /// The time at which the last request was sent.
        var requestedAt: Timestamp?
        /// True if it has opened a stream.
        var isStreaming = false
        /// The failures since the last success.
        var failures = 0
    }

    /// Articles of the snapshot that is arriving.
    private struct Snapshot {
        var arrived: Int
        /// `nil` if it is not known.
        var total: Int?
        /// True if it was requested.
        var isCounted = false

        var fraction: Double? {
            total.map { $0 == 0 ? 1 : min(1, Double(arrived) / Double($0)) }
        }
    }

    private var runs = Calls()
    private var catchUps = Calls()
    /// `nil` when the store has a whole snapshot.
    private var snapshot: Snapshot?
    /// The reason why `run` requests nothing.
    private(set) var pause: ArticleMirror.PauseReason?
    var isSuspended = false
    /// The changes that calls of `run` follow. Bounded by the number of calls.
    private(set) var followed: [Int: LiveChanges] = [:]
    /// Calls of `run` that wait for room in the store.
    private var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    /// The number of times that the app has reported a change of conditions.
    private(set) var conditions = 0
    private var lastNumber = 0

    var state: State {
        if catchUps.count > 0 { return catchUps.activity }
        guard runs.count > 0 else { return .idle }
        return pause.map { .paused($0) } ?? runs.activity
    }

    // MARK: Calls

    mutating func begin(_ mode: Mode) {
        change(mode) { calls in
            if calls.count == 0 { calls = Calls() }
            calls.count += 1
        }
    }

    mutating func end(_ mode: Mode) { change(mode) { $0.count -= 1 } }

    mutating func follow(_ live: LiveChanges) -> Int {
        lastNumber += 1
        followed[lastNumber] = live
        return lastNumber
    }

    mutating func unfollow(_ number: Int) { followed[number] = nil }

    mutating func pause(because reason: ArticleMirror.PauseReason?) {
        pause = reason
        // When it goes on, there may be something to catch up with.
        if reason != nil { runs.activity = catchingUp }
    }

    // MARK: Requests

    mutating func willRequest(_ mode: Mode, at time: Timestamp) {
        let catchingUp = catchingUp
        change(mode) { calls in
            calls.requestedAt = time
            calls.isStreaming = false
            // A poll does not make a mirror less current.
            if calls.activity != .live { calls.activity = catchingUp }
        }
    }

    mutating func isStreaming(_ mode: Mode) { change(mode) { $0.isStreaming = true } }

    /// - Returns: the number of failures in a row.
    mutating func willWait(
        _ mode: Mode, until time: Timestamp, because error: BackendError
    ) -> Int {
        change(mode) { calls in
            calls.activity = .waiting(until: time, because: error)
            calls.failures += 1
        }
        return mode == .run ? runs.failures : catchUps.failures
    }

    mutating func isCurrent(_ mode: Mode) {
        change(mode) { calls in
            calls.activity = .live
            calls.failures = 0
        }
    }

    /// The time of the last request, and that as of which a step is that arrives now.
    func times(_ mode: Mode, now: Timestamp) -> (requested: Timestamp, seen: Timestamp) {
        let calls = mode == .run ? runs : catchUps
        let requested = calls.requestedAt ?? now
        // The clock has whole seconds: a change over a stream is newer than the responses to all
        // requests that were sent in the same one.
        return (requested, calls.isStreaming ? now.advanced(byMilliseconds: 1_000) : requested)
    }

    // MARK: Pages

    /// The store is at this place, and more has to be fetched.
    mutating func isAt(_ place: StoredMirror, _ mode: Mode) {
        if place.isComplete {
            snapshot = nil
        } else if place.token != nil, snapshot != nil {
            snapshot?.arrived = place.members
        } else {
            snapshot = Snapshot(arrived: place.members)
        }
        let catchingUp = catchingUp
        change(mode) { calls in
            calls.activity = catchingUp
            calls.failures = 0
        }
    }

    /// - Returns: true if the number of articles in the snapshot has to be requested.
    mutating func takeCount() -> Bool {
        guard snapshot?.isCounted == false else { return false }
        snapshot?.isCounted = true
        return true
    }

    mutating func count(_ total: Int, _ mode: Mode) {
        snapshot?.total = total
        let catchingUp = catchingUp
        change(mode) { if case .initial = $0.activity { $0.activity = catchingUp } }
    }

    private var catchingUp: State {
        snapshot.map { .initial(fraction: $0.fraction) } ?? .catchingUp
    }

    // MARK: Room

    mutating func isFull(_ mode: Mode) { change(mode) { $0.activity = .full } }

    /// - Returns: the argument for `stopWaiting`; `nil` if the conditions have changed already.
    mutating func wait(
        _ continuation: AsyncStream<Void>.Continuation, forChangesOf conditions: Int
    ) -> Int? {
        guard self.conditions == conditions else { return nil }
        lastNumber += 1
        waiting[lastNumber] = continuation
        return lastNumber
    }

    mutating func stopWaiting(_ number: Int) { waiting[number] = nil }

    /// - Returns: the continuations that wait for it.
    mutating func changeConditions() -> [AsyncStream<Void>.Continuation] {
        conditions += 1
        return Array(waiting.values)
    }

    private mutating func change(_ mode: Mode, _ change: (inout Calls) -> Void) {
        switch mode {
        case .run: change(&runs)
        case .catchUp: change(&catchUps)
        }
    }
}
