import CLinux
import Glibc
import Testing

@testable import Sockets

/// The requirements for every poller, run with each implementation.
@Suite struct PollerTests {
    private func tokens(
        _ poller: borrowing some Poller & ~Copyable, wait milliseconds: Int32 = 10_000
    ) throws -> [ReadyEvent] {
        var events: [ReadyEvent] = []
        try poller.wait(milliseconds: milliseconds) { events.append($0) }
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
}
