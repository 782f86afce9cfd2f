/// Everyone who waits for an answer: each leaves when its deadline comes, or with its session.
struct Waits {
    typealias Leave = @Sendable (BackendError) -> Void

    private struct Wait {
        let session: Session.ID
        let deadline: ContinuousClock.Instant
        let leave: Leave
    }

    /// As many as there are calls under way.
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

    /// Takes out those of a session that has ended.
    mutating func removeAll(of session: Session.ID) -> [Leave] {
        take { $0.session == session }
    }

    /// Takes out those whose deadline has come.
    mutating func removeAll(until now: ContinuousClock.Instant) -> [Leave] {
        take { $0.deadline <= now }
    }

    /// When the next of them has to leave; `nil`: nobody waits.
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
    /// In the time of `ClientEnvironment.now`.
    let deadline: Duration
    /// From its beginning to the deadline.
    let left: Duration

    /// Begins the wait; `leave` is called at most once for whichever reason comes first, at once
    /// if the session is over.
    ///
    /// - Returns: what ends it; `nil` if it has ended.
    func begin(_ leave: @escaping Waits.Leave) -> Int? {
        auth.wait(in: session, for: left, leave)
    }

    func end(_ wait: Int) { auth.endWait(wait) }
}
