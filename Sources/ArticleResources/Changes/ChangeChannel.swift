import ArticleStore
import BroadsheetPlatform
import Synchronization

/// The events for all subscribers with the same list and fields: each change is encoded once.
///
/// It keeps the latest batches of events for subscribers who are behind, up to a limit; those who
/// fall further behind have to resume from the store.
final class ChangeChannel: Sendable {
    /// Identifies the channel among all.
    let name: String
    package let list: ChangeList
    let encoder: ChangeEventEncoder
    /// The bytes of batches that all channels keep.
    private let total: BatchByteCounter
    private let state = Lock(State())

    private struct State {
        /// Everything up to here is in a batch, or happened before the channel was opened.
        var position: ChangePosition?
        /// True if `position` has moved since a batch had its token.
        var hasMoved = false
        var batches: [Batch] = []
        var bytes = 0
        /// The number of batches that were dropped.
        var dropped = 0
        /// Set when the channel is closed: its subscribers end for this reason.
        var ending: ChangeStreamEnding?
        /// The subscribers who have everything.
        var waiting: [ObjectIdentifier: ChangeSubscriber] = [:]
        /// Those of them for whom something new has come, and who are not woken yet.
        var due: [ObjectIdentifier] = []
        /// Those who were woken and have not come for it yet.
        var woken: Set<ObjectIdentifier> = []

        var end: Int { dropped + batches.count }
    }

    private struct Batch {
        let events: ChangeEvents
        /// The number of the client's position after it; `nil` if it does not move.
        let sequence: Int64?
        let tick: Int

        func bytes(beyond limit: Int64) -> ArraySlice<UInt8> {
            if let sequence, sequence <= limit { return [] }
            return events.bytes(beyond: limit)
        }
    }

    /// The maximum bytes of batches that are kept for those who are behind.
    private static let keptBytes = 1 << 20
    /// The number of subscribers that are woken at a time, so that other work of their loops is not
    /// delayed.
    private static let limitWoken = 24
    /// A subscriber who is behind receives several batches at once, up to this size.
    private static let joinedBytes = 64 << 10

    init(_ name: String, _ list: ChangeList, tokens: ChangeTokens, total: BatchByteCounter) {
        self.name = name
        self.list = list
        self.total = total
        encoder = ChangeEventEncoder(list, tokens: tokens)
    }

    deinit { total.remove(state.withLock { $0.bytes }) }

    /// True if it has only public content.
    var isPublic: Bool { list.query.audience == .everyone && list.query.user == nil }

    package var position: ChangePosition? { state.withLock { $0.position } }

    /// Sets the position from which the channel follows the store, unless it is set already.
    func begin(at position: ChangePosition) {
        state.withLock { $0.position = $0.position ?? position }
    }

    // MARK: Batches

    /// Adds a batch and wakes the subscribers.
    package func append(_ events: ChangeEvents, through position: ChangePosition, tick: Int) {
        let isEmpty = events.bytes.isEmpty
        let woken = state.withLock { state in
            state.hasMoved = isEmpty && (state.hasMoved || state.position != position)
            state.position = position
            guard !isEmpty else { return [ChangeSubscriber]() }
            return add(
                Batch(events: events, sequence: position.sequence, tick: tick), to: &state)
        }
        for subscriber in woken { subscriber.wake() }
    }

    /// Adds a comment, and the present token if subscribers do not have it.
    func appendComment(tick: Int) {
        let woken = state.withLock { state in
            var woken: [ChangeSubscriber] = []
            if state.hasMoved, let position = state.position {
                let events = ChangeEvents(bytes: encoder.passing(position))
                let batch = Batch(events: events, sequence: position.sequence, tick: tick)
                woken += add(batch, to: &state)
                state.hasMoved = false
            }
            let events = ChangeEvents(bytes: ChangeEvents.comment)
            let comment = Batch(events: events, sequence: nil, tick: tick)
            return woken + add(comment, to: &state)
        }
        for subscriber in woken { subscriber.wake() }
    }

    private func add(_ batch: Batch, to state: inout State) -> [ChangeSubscriber] {
        state.batches.append(batch)
        state.bytes += batch.events.bytes.count
        total.add(batch.events.bytes.count)
        while state.bytes > Self.keptBytes, state.batches.count > 1 { dropFirst(of: &state) }
        state.due = Array(state.waiting.keys)
        return Self.takeDue(from: &state)
    }

    private func dropFirst(of state: inout State) {
        let count = state.batches.removeFirst().events.bytes.count
        state.bytes -= count
        total.remove(count)
        state.dropped += 1
    }

    /// Drops the batches of this tick and earlier ones.
    func drop(through tick: Int) {
        state.withLock { state in
            while let batch = state.batches.first, batch.tick <= tick { dropFirst(of: &state) }
        }
    }

    // MARK: Subscribers

    /// Stops waking a subscriber that ends.
    func forget(_ subscriber: ChangeSubscriber) {
        let woken = state.withLock { state in
            state.waiting[ObjectIdentifier(subscriber)] = nil
            state.woken.remove(ObjectIdentifier(subscriber))
            return Self.takeDue(from: &state)
        }
        for subscriber in woken { subscriber.wake() }
    }

    /// Ends all subscribers.
    func close(_ ending: ChangeStreamEnding) {
        let waiting = state.withLock { state in
            state.ending = ending
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for subscriber in waiting { subscriber.wake() }
    }

    /// The position in the channel at which a subscriber that reads the store next continues.
    var mark: (cursor: Int, sequence: Int64) {
        state.withLock { ($0.end, $0.position?.sequence ?? .max) }
    }

    enum Delivery {
        case bytes([UInt8], next: Int)
        /// The subscriber has everything, and will be woken.
        case nothing(next: Int)
        case ended(ChangeStreamEnding)
    }

    /// Returns the events after the cursor, without changes up to a number, which the subscriber
    /// has.
    package func take(
        from cursor: Int, beyond sequence: Int64, for subscriber: ChangeSubscriber
    ) -> Delivery {
        let (delivery, woken) = state.withLock { state in
            state.woken.remove(ObjectIdentifier(subscriber))
            let delivery = Self.delivery(from: cursor, beyond: sequence, in: state)
            if case .nothing = delivery {
                state.waiting[ObjectIdentifier(subscriber)] = subscriber
            }
            return (delivery, Self.takeDue(from: &state))
        }
        for subscriber in woken { subscriber.wake() }
        return delivery
    }

    private static func delivery(
        from cursor: Int, beyond sequence: Int64, in state: borrowing State
    ) -> Delivery {
        if let ending = state.ending { return .ended(ending) }
        // Later events are not kept any more.
        guard cursor >= state.dropped else { return .ended(.tooSlow) }
        var next = cursor
        var bytes: [UInt8] = []
        while next < state.end, bytes.count < joinedBytes {
            let batch = state.batches[next - state.dropped]
            let new = batch.bytes(beyond: sequence)
            next += 1
            // The usual case, without a copy: one batch, whole.
            if bytes.isEmpty, new.count == batch.events.bytes.count {
                bytes = batch.events.bytes
            } else {
                bytes += new
            }
        }
        return bytes.isEmpty ? .nothing(next: next) : .bytes(bytes, next: next)
    }

    /// The next subscribers to wake: not until most of the previous ones have come.
    private static func takeDue(from state: inout State) -> [ChangeSubscriber] {
        guard !state.due.isEmpty, state.woken.count <= limitWoken / 2 else { return [] }
        var taken: [ChangeSubscriber] = []
        while taken.count < limitWoken, let id = state.due.popLast() {
            guard let subscriber = state.waiting.removeValue(forKey: id) else { continue }
            state.woken.insert(id)
            taken.append(subscriber)
        }
        return taken
    }
}

/// Counts the bytes of batches that channels keep.
final class BatchByteCounter: Sendable {
    private let bytes = Atomic<Int>(0)
    /// Above this, batches are only kept for a moment, and nothing is added until there is room.
    private static let limit = 64 << 20

    var isExceeded: Bool { bytes.load(ordering: .relaxed) > Self.limit }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
