public import BroadsheetHTTP
public import BroadsheetSockets

/// A server that handles each connection by a test's script: close it, send garbage, or nothing.
public final class ScriptedServer: Sendable {
    public let address: SocketAddress
    private let listener: Listener
    private let loop: EventLoop
    private let accepted = Counter()

    /// Handles each connection on a loop with the script; the connection closes when it ends.
    ///
    /// - Parameter script: Receives the connection and the number of earlier ones.
    public init(
        on address: SocketAddress = .v4([127, 0, 0, 1], port: 0),
        _ script: @escaping @Sendable (ScriptedPeer, Int) async throws -> Void
    ) throws {
        let loop = try EventLoop(index: 0)
        let accepted = accepted
        self.loop = loop
        listener = try Listener(address, on: loop) { descriptor, peer in
            let index = accepted.next()
            loop.adopt(descriptor, peer: peer) { channel in
                let peer = ScriptedPeer(channel)
                // A script may end early on purpose.
                try? await script(peer, index)
            }
        }
        self.address = listener.address
        listener.start()
    }

    /// The number of connections so far.
    public var acceptedCount: Int { accepted.value }

    /// The number of connections whose scripts are running.
    public var connectionCount: Int { loop.channelCount }

    public func stop() async {
        await listener.stop()
        loop.stop()
    }

    /// Serves with the script while the body runs. The body has its own thread and may block.
    public static func run(
        on address: SocketAddress = .v4([127, 0, 0, 1], port: 0),
        _ script: @escaping @Sendable (ScriptedPeer, Int) async throws -> Void,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        try await ServerSlots.hold {
            let server = try ScriptedServer(on: address, script)
            do {
                try await mayBlock { try await body(server) }
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }
}

/// The server's end of a connection in a script. It is used only by the script's task.
public final class ScriptedPeer {
    private let channel: SocketChannel
    private var received: [UInt8] = []
    /// A busy machine may not schedule a test's task for long.
    private static let patienceMilliseconds: Int64 = 300_000

    init(_ channel: SocketChannel) { self.channel = channel }

    /// Performs the TLS handshake; returns the protocol that was agreed on.
    public func secure(by tls: TLSServer) async throws -> String? {
        try await channel.secure(by: tls, until: channel.loop.now + Self.patienceMilliseconds)
        return channel.applicationProtocol
    }

    /// The next complete request; `nil` when the client has closed the connection before it.
    public func request() async throws -> HTTPRequest? {
        var parser = RequestParser()
        while true {
            let head = try received.withUnsafeBufferPointer {
                try parser.parse(Span(_unsafeElements: $0))
            }
            if let head {
                received.removeFirst(parser.consumed)
                let body = try await body(head.framing)
                return HTTPRequest(head.method, head.target, fields: head.fields, body: body)
            }
            guard try await receive() else { return nil }
        }
    }

    /// Waits for the first bytes of a request.
    public func beginning() async throws { _ = try await receive() }

    /// The next bytes; none when the client has closed the connection.
    public func bytes() async throws -> [UInt8] {
        if received.isEmpty { _ = try await receive() }
        defer { received = [] }
        return received
    }

    private func body(_ framing: BodyFraming) async throws -> [UInt8] {
        var limits = HTTPLimits()
        limits.bodyBytes = 1 << 30
        var decoder = try BodyDecoder(framing, limits: limits)
        var body: [UInt8] = []
        while true {
            let used = try received.withUnsafeBufferPointer {
                try decoder.decode(Span(_unsafeElements: $0), into: &body)
            }
            received.removeFirst(used)
            guard !decoder.isComplete, try await receive() else { return body }
        }
    }

    public func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    public func send(_ bytes: [UInt8]) async throws {
        try await channel.write(bytes, stallMilliseconds: Self.patienceMilliseconds)
    }

    /// Responds with 200 and the text.
    public func respond(_ text: String) async throws {
        try await send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    /// Waits until the client has closed the connection.
    public func waitForEnd() async {
        while (try? await receive()) == true {}
    }

    /// Ends what is sent and waits until the client has closed the connection. Closing it with
    /// unread bytes would reset it, and the client would lose what it has not read yet.
    public func finish() async {
        channel.shutdownWrite()
        await waitForEnd()
    }

    /// Resets the connection (`RST`).
    public func reset() { channel.reset() }

    /// Waits for bytes; false at the end of the stream.
    private func receive() async throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let result = try bytes.withUnsafeMutableBytes { try channel.read(into: $0) }
            switch result {
            case .bytes(let count):
                received += bytes.prefix(count)
                return true
            case .end: return false
            case .wouldBlock:
                try await channel.waitReadable(until: channel.loop.now + Self.patienceMilliseconds)
            }
        }
    }
}
