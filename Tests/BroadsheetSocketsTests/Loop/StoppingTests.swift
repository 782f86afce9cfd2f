import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import BroadsheetSockets

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct StoppingTests {
    @Test func `stop closes every channel, and their peers see the end`() async throws {
        let loops = try TestLoops(count: 2)
        let errors = Lock<[ChannelError]>([])
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        var peers: [Peer] = []
        for _ in 0..<10 {
            let (peer, side) = try Peer.pair()
            peers.append(peer)
            loops.group.next().adopt(Descriptor(side), peer: .unix("")) { channel in
                do throws(ChannelError) {
                    try await channel.waitForMore()
                } catch { errors.withLock { $0.append(error) } }
            } ended: {
                ended.yield()
            }
        }
        loops.group.stop()
        var count = 0
        for await _ in ends {
            count += 1
            if count == 10 { break }
        }
        // Tasks that were overtaken by the stop never started.
        #expect(errors.withLock { $0.allSatisfy { $0 == .cancelled } })
        #expect(loops.group.channelCount == 0)
        for peer in peers { #expect(peer.receiveState() == 0) }
    }

    @Test func `drain only ends idle waits`() async throws {
        let loops = try TestLoops()
        let (idlePeer, idleSide) = try Peer.pair()
        let (busyPeer, busySide) = try Peer.pair()
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let idle = loops.run(idleSide) { channel -> ChannelError? in
            beginning.yield()
            do throws(ChannelError) {
                try await channel.waitForMore(isIdle: true)
                return nil
            } catch { return error }
        }
        async let busy = loops.run(busySide) { channel -> [UInt8]? in
            beginning.yield()
            return try? await channel.receive(3)
        }
        var count = 0
        for await _ in begun {
            count += 1
            if count == 2 { break }
        }
        #expect(loops.group.channelCount == 2)
        loops.group.drain()
        #expect(await idle == .cancelled)
        busyPeer.send("yes")
        #expect(await busy == Array("yes".utf8))
        #expect(idlePeer.receiveState() == 0)
    }

    @Test func `a stopped loop still runs work but accepts no channel`() async throws {
        let loops = try TestLoops()
        loops.group.stop()
        for _ in 0..<50 { #expect(await loops.submit { $0.isOnLoop }) }
        let (peer, side) = try Peer.pair()
        let isBegun = Lock(false)
        await withCheckedContinuation { continuation in
            loops.loop.adopt(Descriptor(side), peer: .unix("")) { _ in
                isBegun.withLock { $0 = true }
            } ended: {
                continuation.resume()
            }
        }
        #expect(peer.receiveState() == 0)
        #expect(!isBegun.withLock { $0 })
    }
}
