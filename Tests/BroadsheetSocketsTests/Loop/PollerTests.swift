import CBroadsheetLinux
import Glibc
import Testing

@testable import BroadsheetSockets

/// The requirements for every poller, run with each implementation.
@Suite struct PollerTests {
    private func tokens(
        _ poller: borrowing some Poller & ~Copyable, wait milliseconds: Int32 = 10_000
    ) throws -> [ReadyEvent] {
        var events: [ReadyEvent] = []
        _ = try poller.wait(milliseconds: milliseconds) { events.append($0) }
        return events
    }

    private func pair() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return ends
    }

    @Test func `each edge is reported once`() throws {
        let poller = try EpollPoller()
        let ends = try pair()
        defer { for end in ends { close(end) } }
        try poller.watch(ends[0], token: 7)
        #expect(try tokens(poller).map(\.isReadable) == [false])
        #expect(write(ends[1], "x", 1) == 1)
        let events = try tokens(poller)
        #expect(events.map(\.token) == [7])
        #expect(events.map(\.isReadable) == [true])
        #expect(try tokens(poller, wait: 0).isEmpty)
    }

    @Test func `a peer that closes is reported as hung up and readable`() throws {
        let poller = try EpollPoller()
        let ends = try pair()
        defer { close(ends[0]) }
        try poller.watch(ends[0], token: 1)
        _ = try tokens(poller)
        close(ends[1])
        let events = try tokens(poller)
        #expect(events.map(\.isHungUp) == [true])
        #expect(events.map(\.isReadable) == [true])
    }

    @Test func `a wake-up ends a wait and is not an event`() throws {
        let poller = try EpollPoller()
        poller.wake()
        poller.wake()
        #expect(try tokens(poller).isEmpty)
        #expect(try tokens(poller, wait: 0).isEmpty)
    }

    /// Dispatch waits for the descriptor while the loop rests.
    @Test func `the descriptor is readable as long as something is unreported`() throws {
        let poller = try EpollPoller()
        let descriptor = poller.descriptor
        let ends = try pair()
        defer { for end in ends { close(end) } }
        #expect(!isReadable(descriptor))
        try poller.watch(ends[0], token: 7)
        #expect(try tokens(poller).count == 1)
        #expect(!isReadable(descriptor))
        #expect(write(ends[1], "x", 1) == 1)
        #expect(isReadable(descriptor))
        #expect(try tokens(poller).count == 1)
        #expect(!isReadable(descriptor), "the byte is unread, but its edge was reported")
        poller.wake()
        #expect(isReadable(descriptor))
        #expect(try tokens(poller).isEmpty)
        #expect(!isReadable(descriptor))
    }

    @Test func `a wait that is woken differs from one that times out`() throws {
        let poller = try EpollPoller()
        let timedOut = try !poller.wait(milliseconds: 0) { _ in }
        poller.wake()
        let woken = try poller.wait(milliseconds: 10_000) { _ in }
        #expect(timedOut && woken)
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }
}
