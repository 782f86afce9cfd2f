/// The callers that wait for responses; each leaves at its deadline or when its session ends.
struct Waits {
    typealias Leave = @Sendable (BackendError) -> Void

    private struct Wait {
        let session: Session.ID
        let deadline: ContinuousClock.Instant
        let leave: Leave
    }

    /// Bounded by the number of calls in progress.
    private var waits: [Int: Wait] = [:]
    private var last = 0

    mutating func add(
        _ session: Session.ID, until deadline: ContinuousClock.Instant, _ leave: @escaping Leave
    ) -> Int {
        last += 1
        waits[last] = Wait(session: session, deadline: deadline, leave: leave)
        return last
    }

    mutating func remove(_ wait: Int) { waits[wait] = nil }

    /// Removes the waits of a session that has ended.
    mutating func removeAll(of session: Session.ID) -> [Leave] {
        take { $0.session == session }
    }

    /// Removes the waits whose deadline has passed.
    mutating func removeAll(until now: ContinuousClock.Instant) -> [Leave] {
        take { $0.deadline <= now }
    }

    /// The earliest deadline; `nil` if nobody waits.
    var nextDeadline: ContinuousClock.Instant? { waits.values.lazy.map(\.deadline).min() }

    private mutating func take(_ isDone: (Wait) -> Bool) -> [Leave] {
        let done = waits.filter { isDone($0.value) }
        for wait in done.keys { waits[wait] = nil }
        return done.values.map(\.leave)
    }
}

/// How long a call waits: until its deadline, while its session lasts.
struct Stay: Sendable {
    let auth: BackendAuth
    let session: Session.ID
    /// In `ClientEnvironment.now` time.
    let deadline: Duration
    /// The time from the beginning to the deadline.
    let left: Duration

    /// Begins the wait. `leave` is called at most once, when the deadline passes or the session
    /// ends, or at once if the session has ended already.
    ///
    /// - Returns: the argument for `BackendAuth.endWait`; `nil` if the wait has ended.
    func begin(_ leave: @escaping Waits.Leave) -> Int? {
        auth.wait(in: session, for: left, leave)
    }

    func end(_ wait: Int) { auth.endWait(wait) }
}
