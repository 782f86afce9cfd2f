import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import BroadsheetSockets

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SocketChannelTests {
    @Test func `a deadline ends a wait, and the channel stays usable`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let (error, elapsed, bytes) = await loops.run(side) { channel in
            let start = channel.loop.now
            var ended: ChannelError?
            do throws(ChannelError) { try await channel.waitForMore(milliseconds: 100) } catch {
                ended = error
            }
            let elapsed = channel.loop.now - start
            peer.send("late")
            return (ended, elapsed, try? await channel.receive(4))
        }
        #expect(error == .timedOut)
        // In milliseconds of the loop, and not of another unit.
        #expect((100..<Int64(Patience.seconds) * 1_000).contains(elapsed))
        #expect(bytes == Array("late".utf8))
    }

    @Test func `the work deadline fires while the task waits for bytes with a later one`()
        async throws
    {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let error = await loops.run(side) { channel -> ChannelError? in
            channel.onOverrun = { $0.abort(.timedOut, sending: Array("too slow".utf8)) }
            channel.beginWork(until: channel.loop.now + 50)
            do throws(ChannelError) {
                try await channel.waitForMore(milliseconds: 50_000)
                return nil
            } catch { return error }
        }
        #expect(error == .timedOut)
        #expect(peer.receiveAll() == Array("too slow".utf8))
    }

    @Test func `the work deadline does not fire after the work`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let isOverrun = Lock(false)
        let error = await loops.run(side) { channel -> ChannelError? in
            channel.onOverrun = { _ in isOverrun.withLock { $0 = true } }
            channel.beginWork(until: channel.loop.now + 50)
            channel.endWork()
            do throws(ChannelError) {
                try await channel.waitForMore(milliseconds: 200)
                return nil
            } catch { return error }
        }
        #expect(error == .timedOut)
        #expect(!isOverrun.withLock { $0 })
        #expect(peer.receiveState() == 0)
    }

    @Test(arguments: Transport.available)
    func `a slow reader receives every byte of both pieces`(transport: Transport) async throws {
        let loops = try TestLoops()
        let head = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let period = (0..<256 * 11).map { UInt8($0 / 11) }
        var pieces: [UInt8] = []
        for _ in 0..<1_000 { pieces += period }
        let body = pieces
        let listener = try Listener(transport.address(), on: loops.loop) { descriptor, peer in
            loops.loop.adopt(descriptor, peer: peer) { channel in
                let start = channel.writeAtOnce(head, body)
                try? await channel.write(
                    head, body, from: start, stallMilliseconds: Int64(Patience.seconds) * 1_000)
            }
        }
        listener.start()
        let peer = try Peer(to: listener.address, receiveBufferBytes: 4_096)
        var received: [UInt8] = []
        while case let piece = peer.receive(50_000), !piece.isEmpty { received += piece }
        #expect(areSame(received, head + body))
        await listener.stop()
    }

    @Test func `a write fails if the reader stops reading`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let error = await loops.run(side) { channel -> ChannelError? in
            let bytes = [UInt8](repeating: 1, count: 8 << 20)
            do throws(ChannelError) {
                try await channel.write(bytes, stallMilliseconds: 100)
                return nil
            } catch { return error }
        }
        #expect(error == .timedOut)
        let count = peer.receiveAll().count
        #expect(count > 0 && count < 8 << 20)
    }

    @Test func `a reset is a disconnection`() async throws {
        let loops = try TestLoops()
        let (errors, told) = AsyncStream.makeStream(of: ChannelError?.self)
        let listener = try Listener(Transport.v4.address(), on: loops.loop) { descriptor, peer in
            loops.loop.adopt(descriptor, peer: peer) { channel in
                do throws(ChannelError) {
                    _ = try await channel.receive(2)
                    told.yield(nil)
                } catch { told.yield(error) }
            }
        }
        listener.start()
        do {
            let peer = try Peer(to: listener.address)
            peer.send("x")
            peer.endsWithReset()
        }
        for await error in errors {
            #expect(error == .disconnected(code: ECONNRESET))
            break
        }
        await listener.stop()
    }

    @Test func `a client that shut down its sending side still gets its response`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        peer.send("ask")
        peer.shutdownWrite()
        // More room than bytes: the end must be noticed although the read was short.
        let received = await loops.run(side) { channel in
            let received = try? await channel.receive(100)
            try? await channel.write(
                Array("answer".utf8), stallMilliseconds: Int64(Patience.seconds) * 1_000)
            channel.shutdownWrite()
            return received
        }
        #expect(received == Array("ask".utf8))
        #expect(peer.receiveAll() == Array("answer".utf8))
    }

    @Test func `it is known which output has not left the process`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let bytes = [UInt8](repeating: 1, count: 8 << 20)
        let (sent, untouched) = await loops.run(side) { channel in
            var output = UnsentOutput(bytes, now: channel.loop.now)
            let sent = output.send(to: channel, now: channel.loop.now)
            return (sent, output.unwrittenCount(on: channel))
        }
        #expect(0 < sent && sent < bytes.count)
        #expect(untouched == bytes.count - sent)
        #expect(peer.receiveAll().count == sent)
    }

    @Test func `an aborted channel's peer sees the end, and its task the reason`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let (error, isCancelled) = await loops.run(side) { channel in
            channel.loop.schedule(afterMilliseconds: 1) { channel.abort(.cancelled) }
            do throws(ChannelError) {
                try await channel.waitForMore()
                return (ChannelError?.none, false)
            } catch { return (error, Task.isCancelled) }
        }
        #expect(error == .cancelled)
        #expect(isCancelled)
        #expect(peer.receiveState() == 0)
    }
}
