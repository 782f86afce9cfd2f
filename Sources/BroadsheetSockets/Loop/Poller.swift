import BroadsheetPlatform
import CBroadsheetLinux
import Dispatch
import Glibc

/// Events of a watched descriptor. Connections report edges, each of them once.
struct ReadyEvent {
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The peer has closed its side, or the socket has an error: reading shows which.
    let isHungUp: Bool
    /// Nothing that is sent can arrive any more (`EPOLLERR`, `EPOLLHUP`).
    var isBroken = false
}

/// Watches the descriptors of a loop. Waiting is separate from watching: the poller is itself a
/// descriptor, for which Dispatch waits while the loop rests; a busy loop waits by itself.
protocol Poller: ~Copyable, Sendable {
    // MARK: Watching

    /// Watches a descriptor for both directions until it is closed.
    borrowing func watch(_ descriptor: Int32, token: UInt64) throws(SystemError)
    /// Watches a listening socket, which is reported as long as a connection waits there.
    borrowing func watchArrivals(_ descriptor: Int32, token: UInt64) throws(SystemError)
    /// Stops watching it.
    borrowing func forget(_ descriptor: Int32)

    // MARK: Waiting

    /// Readable (`poll(2)`) as long as `wait` would not have to wait.
    var descriptor: Int32 { get }
    /// Reports descriptors that are ready, and waits for them up to the timeout (0: not at all).
    /// - Returns: True if anything was ready, or the poller was woken.
    borrowing func wait(
        milliseconds: Int32, _ report: (ReadyEvent) -> Void
    ) throws(SystemError) -> Bool
    /// Ends a wait. From any thread.
    borrowing func wake()
}

/// The poller for Linux: edge-triggered `epoll(7)`, woken by an `eventfd(2)`.
struct EpollPoller: Poller, ~Copyable {
    private let epoll: Descriptor
    private let wakeUp: Descriptor
    // Accessed only by `wait`, which only one thread calls at a time.
    private nonisolated(unsafe) let events: UnsafeMutablePointer<epoll_event>
    private static let batch = 256
    /// No descriptor has this token.
    private static let wakeToken = UInt64.max

    init() throws(SystemError) {
        let epoll = Descriptor(try retrying("epoll_create1") { epoll_create1(Int32(O_CLOEXEC)) })
        let wakeUp = Descriptor(
            try retrying("eventfd") { eventfd(0, Int32(O_NONBLOCK | O_CLOEXEC)) })
        let edge = EPOLLIN.rawValue | EPOLLET.rawValue
        try Self.add(wakeUp.raw, edge, Self.wakeToken, to: epoll.raw)
        self.epoll = epoll
        self.wakeUp = wakeUp
        events = .allocate(capacity: Self.batch)
        events.initialize(repeating: epoll_event(), count: Self.batch)
    }

    deinit { events.deallocate() }

    var descriptor: Int32 { epoll.raw }

    func watch(_ descriptor: Int32, token: UInt64) throws(SystemError) {
        let edges =
            EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        try Self.add(descriptor, edges, token, to: epoll.raw)
    }

    func watchArrivals(_ descriptor: Int32, token: UInt64) throws(SystemError) {
        try Self.add(descriptor, EPOLLIN.rawValue, token, to: epoll.raw)
    }

    func forget(_ descriptor: Int32) {
        var event = epoll_event()
        _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, &event)
    }

    private static func add(
        _ descriptor: Int32, _ flags: UInt32, _ token: UInt64, to epoll: Int32
    ) throws(SystemError) {
        var event = epoll_event(events: flags, data: epoll_data_t(u64: token))
        _ = try retrying("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) }
    }

    func wait(
        milliseconds: Int32, _ report: (ReadyEvent) -> Void
    ) throws(SystemError) -> Bool {
        let count = epoll_wait(epoll.raw, events, Int32(Self.batch), milliseconds)
        guard count >= 0 else {
            guard errno == EINTR else { throw .last("epoll_wait") }
            return false
        }
        for index in 0..<Int(count) {
            let event = events[index]
            // It is never read: each write is an edge, and the counter has room for 2^64 of them.
            if event.data.u64 == Self.wakeToken { continue }
            let hangUps = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
            let isHungUp = event.events & hangUps != 0
            report(
                ReadyEvent(
                    token: event.data.u64,
                    isReadable: isHungUp || event.events & EPOLLIN.rawValue != 0,
                    isWritable: isHungUp || event.events & EPOLLOUT.rawValue != 0,
                    isHungUp: isHungUp,
                    isBroken: event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0))
        }
        return count > 0
    }

    func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp.raw, &one, 8)
    }
}

/// The Dispatch sources that wake a resting loop, so that it needs no thread to wait: one for
/// whatever its poller watches, and one for its next timer.
final class LoopWakeupSources: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let events: any DispatchSourceRead
    // As above.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// - Parameter descriptor: A poller's descriptor (`Poller.descriptor`).
    init(_ descriptor: Int32, on queue: DispatchQueue) {
        events = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    /// Calls `wake` on the queue, until `cancel`, whenever the descriptor is readable or the timer
    /// fires. The descriptor must stay open as long as something retains `wake`.
    func activate(_ wake: @escaping @Sendable () -> Void) {
        events.setEventHandler(handler: wake)
        timer.setEventHandler(handler: wake)
        // Released only when Dispatch no longer watches the descriptor.
        events.setCancelHandler { withExtendedLifetime(wake) {} }
        events.activate()
        timer.activate()
    }

    /// Makes the timer fire once, and only then.
    func setTimer(afterMilliseconds delay: Int64) {
        timer.schedule(deadline: .now() + .milliseconds(Int(delay)))
    }

    func cancel() {
        events.cancel()
        timer.cancel()
    }
}

/// The open channels of a loop, by token: a slot's index and generation, so that an event for a
/// closed channel never reaches the next one in its slot.
struct ChannelSlots {
    private var slots: [(generation: UInt32, channel: SocketChannel?)] = []
    private var free: [UInt32] = []
    private(set) var count = 0
    /// The bit of tokens that are not those of channels.
    static let reserved: UInt64 = 1 << 63

    static func holds(_ token: UInt64) -> Bool { token & reserved == 0 }

    var isEmpty: Bool { count == 0 }

    subscript(token: UInt64) -> SocketChannel? {
        let slot = slots[Int(UInt32(truncatingIfNeeded: token))]
        return slot.generation == UInt32(token >> 32) ? slot.channel : nil
    }

    mutating func reserve() -> UInt64 {
        count += 1
        if let index = free.popLast() {
            return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
        }
        slots.append((generation: 0, channel: nil))
        return UInt64(slots.count - 1)
    }

    mutating func fill(_ token: UInt64, with channel: SocketChannel) {
        slots[Int(UInt32(truncatingIfNeeded: token))].channel = channel
    }

    mutating func free(_ token: UInt64) {
        let index = UInt32(truncatingIfNeeded: token)
        // The highest bit is reserved.
        slots[Int(index)].generation = (slots[Int(index)].generation &+ 1) & 0x7FFF_FFFF
        slots[Int(index)].channel = nil
        free.append(index)
        count -= 1
    }

    /// The open channels.
    var open: [SocketChannel] { slots.compactMap(\.channel) }
}

/// The timers or the listening sockets of a loop, by tokens that no channel uses.
struct LoopEntries<Entry> {
    private var entries: [UInt64: Entry] = [:]
    private var next: UInt64 = 0

    subscript(token: UInt64) -> Entry? { entries[token] }

    mutating func add(_ entry: Entry) -> UInt64 {
        next += 1
        entries[next | ChannelSlots.reserved] = entry
        return next | ChannelSlots.reserved
    }

    mutating func remove(_ token: UInt64) -> Entry? { entries.removeValue(forKey: token) }

    /// Removes all entries and returns them, for the caller to release.
    mutating func removeAll() -> [Entry] {
        defer { entries = [:] }
        return Array(entries.values)
    }
}
