import HTTP
import Sockets

/// One connection to an origin, from connecting to its end, in one task: wait for an exchange,
/// write its request, read its answer, and again.
// Everything of it lives on its loop's thread, like the channel that it has.
final class ClientConnection: @unchecked Sendable {
    /// How far it has come.
    enum Phase {
        case connecting
        case open
        case failed(HTTPClientError)
    }

    let origin: HTTPOrigin
    let pool: ConnectionPool
    private(set) var phase = Phase.connecting
    private var channel: SocketChannel?
    /// What it is to do next, or is doing.
    private(set) var exchange: Exchange?
    var parser: ResponseParser
    let buffer: ReceiveBuffer
    /// Made for the first body in gzip, and used for those that follow.
    var gzip: GzipDecoder?
    /// Exchanges that were answered.
    private(set) var answered = 0
    /// Bytes of the current request that went out, and of its answer that came.
    var sentBytes = 0
    var receivedBytes = 0
    private var roomWaiter: UnsafeContinuation<Void, Never>?

    init(_ origin: HTTPOrigin, in pool: ConnectionPool) {
        self.origin = origin
        self.pool = pool
        parser = ResponseParser(limits: pool.configuration.message)
        let message = pool.configuration.message
        buffer = ReceiveBuffer(
            capacity: max(32 << 10, message.requestLineBytes + message.fieldBytes + 1_024))
    }

    // MARK: Told by the pool

    /// Gives it something to do while it has nothing.
    func take(_ exchange: Exchange) {
        self.exchange = exchange
        exchange.place.connection = self
        channel?.interrupt()
    }

    /// Ends it at once, whatever it is doing.
    func abort() {
        channel?.abort()
        roomAgain()
    }

    /// The reader of a streamed body has taken what it was given.
    func roomAgain() { roomWaiter.take()?.resume() }

    // MARK: Its life

    /// - Parameters:
    ///   - deadline: until when it has to be connected; monotonic milliseconds.
    ///   - secureDeadline: until when TLS has to be agreed on.
    func run(
        _ channel: SocketChannel, connectedBy deadline: Int64, securedBy secureDeadline: Int64
    ) async {
        self.channel = channel
        do throws(ChannelError) {
            try await channel.waitConnected(until: deadline)
            try await secure(channel, until: secureDeadline)
        } catch {
            phase = .failed(connectError(error))
            return
        }
        phase = .open
        pool.isFree(self)
        channel.onOverrun = { $0.abort(.timedOut) }
        while let exchange = await next() {
            guard await serve(exchange, on: channel) else { break }
            answered += 1
            release()
            pool.isFree(self)
        }
        release()
        channel.onOverrun = nil
        self.channel = nil
    }

    /// The next exchange; `nil` when the connection has ended or was idle for too long.
    private func next() async -> Exchange? {
        guard let channel else { return nil }
        let deadline = channel.loop.now + pool.configuration.idleMilliseconds
        do throws(ChannelError) {
            // Invariant: nothing was received that no request asked for.
            while true {
                if channel.mayRead {
                    guard case .wouldBlock = try channel.read(into: buffer.room()) else { break }
                }
                if let exchange { return exchange }
                try await channel.waitReadable(until: deadline)
            }
        } catch {
            // Ended, or idle for too long.
        }
        if let exchange {
            release()
            pool.retry(exchange)
        }
        return nil
    }

    /// Waits until `roomAgain`, or the end.
    func waitForRoom() async {
        await withUnsafeContinuation { roomWaiter = $0 }
    }

    /// It has nothing to do with its exchange any more.
    func release() {
        exchange?.place.connection = nil
        exchange = nil
    }

    private func secure(
        _ channel: SocketChannel, until deadline: Int64
    ) async throws(ChannelError) {
        guard origin.scheme == .https, case .host(let host, _) = origin.place else { return }
        guard let tls = pool.tls else { throw .cancelled }
        try await channel.secure(as: tls, with: host, until: deadline)
    }

    private func connectError(_ error: ChannelError) -> HTTPClientError {
        switch error {
        case .disconnected(let code): .cannotConnect(origin, SystemError("connect", code: code))
        case .timedOut: .cannotConnect(origin, .connectTimedOut)
        case .cancelled: .cannotConnect(origin, .connectCancelled)
        case .insecure(let failure): .insecure(failure)
        }
    }
}
