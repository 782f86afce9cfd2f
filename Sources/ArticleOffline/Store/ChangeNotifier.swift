import ArticleClient

/// Wakes up observers of a value when it has changed. It keeps none of them alive, and they keep
/// alive only this.
///
/// Observation ends when the owner of the values calls `end`, or is released without having done
/// so.
package final class ChangeNotifier<Topic: Hashable & Sendable>: Sendable {
    fileprivate struct State {
        /// The mailboxes by topic, so that the cost of a notice depends on its own observers only.
        /// Each removes itself when it is released.
        var mailboxes: [Topic: [ObjectIdentifier: WeakMailbox]] = [:]
        var isEnded = false
    }

    fileprivate let state = Locked(State())

    package init() {}

    /// The number of those who observe.
    package var observers: Int {
        state.withLock { $0.mailboxes.values.reduce(0) { $0 + $1.count } }
    }

    /// These things have changed.
    package func post(_ topics: some Sequence<Topic>) {
        let found = state.withLock { state in
            topics.flatMap { topic in
                (state.mailboxes[topic] ?? [:]).values.compactMap(\.mailbox)
            }
        }
        for mailbox in found { mailbox.mark() }
    }

    /// Everything may have changed.
    package func postAll() { for mailbox in all() { mailbox.mark() } }

    /// There will be no more changes: every sequence ends.
    package func end() {
        state.withLock { $0.isEnded = true }
        for mailbox in all() { mailbox.end() }
    }

    private func all() -> [Mailbox] {
        state.withLock { state in
            state.mailboxes.values.flatMap { $0.values.compactMap(\.mailbox) }
        }
    }

    /// A mailbox that is marked at first.
    fileprivate func mailbox(for topic: Topic) -> Mailbox {
        let mailbox = Mailbox { [self] in remove($0, for: topic) }
        let isEnded = state.withLock { state in
            state.mailboxes[topic, default: [:]][ObjectIdentifier(mailbox)] =
                WeakMailbox(mailbox: mailbox)
            return state.isEnded
        }
        if isEnded { mailbox.end() }
        return mailbox
    }

    private func remove(_ mailbox: ObjectIdentifier, for topic: Topic) {
        state.withLock { state in
            state.mailboxes[topic]?[mailbox] = nil
            if state.mailboxes[topic]?.isEmpty == true { state.mailboxes[topic] = nil }
        }
    }
}

private struct WeakMailbox {
    weak var mailbox: Mailbox?
}

/// The changes that an observer has not seen yet: at most one mark, for any number of changes.
private final class Mailbox: Sendable {
    private struct State {
        var isMarked = true
        var isEnded = false
        var waiter: UnsafeContinuation<Void, Never>?

        mutating func takeWaiter() -> UnsafeContinuation<Void, Never>? { waiter.take() }
    }

    private let remove: @Sendable (ObjectIdentifier) -> Void
    private let state = Locked(State())

    init(_ remove: @escaping @Sendable (ObjectIdentifier) -> Void) { self.remove = remove }

    deinit { remove(ObjectIdentifier(self)) }

    func mark() {
        state.withLock { state in
            state.isMarked = true
            return state.takeWaiter()
        }?.resume()
    }

    func end() {
        state.withLock { state in
            state.isEnded = true
            return state.takeWaiter()
        }?.resume()
    }

    /// Waits for a mark and takes it; `false` when there will be none, or the task is cancelled.
    func take(isolation actor: isolated (any Actor)?) async -> Bool {
        while !Task.isCancelled {
            let isMarked = state.withLock { state -> Bool? in
                guard !state.isEnded else { return false }
                guard state.isMarked else { return nil }
                state.isMarked = false
                return true
            }
            if let isMarked { return isMarked }
            await wait(isolation: actor)
        }
        return false
    }

    private func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            // The closure only runs on an actor that it captures (SE-0420).
            _ = actor
            await withUnsafeContinuation { waiter in
                let isOver = state.withLock { state in
                    guard !state.isMarked, !state.isEnded, !Task.isCancelled else { return true }
                    state.waiter = waiter
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
    }
}

/// The current value of a stored item, and then a new one after each change.
///
/// A value comes after it was stored. Consumers that are slower than the changes get the newest
/// value only, and no value comes twice in a row. The sequence does not keep alive the object that
/// it observes: it ends when that is released, or when the task is cancelled. A value; iterate on
/// any actor, any number of times.
///
/// ```swift
/// for await list in store.articles(matching: ArticleQuery(tags: ["baking"])) {
///     titles = list.map(\.article.title)
///     if !titles.isEmpty { break }
/// }
/// ```
public struct StoreUpdates<Element: Sendable & Equatable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let begin: @Sendable () -> Iterator

    /// - Parameters:
    ///   - notices: the notices of changes.
    ///   - topic: the observed topic.
    ///   - read: returns the present value; `nil` inside if it cannot be read now, and around that
    ///     if its owner was released.
    package init<Topic>(
        _ notices: ChangeNotifier<Topic>, of topic: Topic,
        read: @escaping @Sendable () async -> Element??
    ) {
        begin = {
            Iterator(mailbox: notices.mailbox(for: topic), read: read)
        }
    }

    public func makeAsyncIterator() -> Iterator { begin() }

    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: Mailbox
        private let read: @Sendable () async -> Element??
        private var last: Element?

        fileprivate init(mailbox: Mailbox, read: @escaping @Sendable () async -> Element??) {
            self.mailbox = mailbox
            self.read = read
        }

        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while await mailbox.take(isolation: actor) {
                guard let read = await read() else { return nil }
                guard let value = read, value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}
