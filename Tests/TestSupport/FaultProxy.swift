import ArticleAPI
public import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
public import BroadsheetSockets

/// A proxy that damages and delays responses, or responds itself, as networks and servers do. What
/// is not at fault passes, also streams of events.
public final class FaultProxy: Sendable {
    public enum Fault: String, CaseIterable, Sendable {
        // Faults that spare the response.
        case delay, dribble
        // The request is carried out, and its response is lost.
        case cutAfter, truncate, reset
        /// The request is carried out but never gets a response.
        case silence
        // The request does not arrive, and there is no complete response.
        case cutBefore, noHead, stall, drip, garbage, cutGzip, oversize, endless
        // The backend's own responses.
        case internalError, unavailable, tooMany, unauthorized
        // Responses of something else.
        case nonsense, empty, page, pageAsJSON, portal, loop
        case page401, page403, page404, page500, page502, page503, page504, page511
        case blank401, blank404

        /// True if a client gets no response before its deadline.
        public var isEndless: Bool { [.silence, .noHead, .stall, .drip].contains(self) }
    }

    private struct State {
        var random: SplitMix64
        var upstream: HTTPClient
    }

    private let server: ScriptedServer
    private let portal: ScriptedServer
    private let state: Lock<State>
    private let version: HTTPVersion
    private let requests = Counter()

    /// - Parameters:
    ///   - address: of the real server.
    ///   - version: what it speaks with the server.
    ///   - seed: decides where responses are cut.
    ///   - fault: is called for each request; `nil` to let it pass.
    public init(
        to address: SocketAddress, over version: HTTPVersion = .http11, seed: UInt64 = 1,
        _ fault: @escaping @Sendable () -> Fault?
    ) throws {
        let state = Lock(
            State(
                random: SplitMix64(seed: seed), upstream: try HTTPClient(.cleartext(version))))
        self.state = state
        self.version = version
        let origin = HTTPOrigin("http://\(address)") ?? HTTPOrigin(unixSocket: "")
        let portal = try ScriptedServer { peer, _ in
            while try await peer.request() != nil { try await peer.send(Self.page(.ok)) }
        }
        self.portal = portal
        let requests = requests
        server = try ScriptedServer { peer, _ in
            while let request = try await peer.request() {
                _ = requests.next()
                guard try await Self.handle(request, peer, fault(), state, origin, portal) else {
                    return
                }
            }
        }
    }

    public var address: SocketAddress { server.address }
    public var connectionCount: Int { server.connectionCount }
    /// The number of requests so far.
    public var requestCount: Int { requests.value }

    /// Ends everything that is passing through, such as streams.
    public func interrupt() throws {
        let new = try HTTPClient(.cleartext(version))
        let old = state.withLock { state in
            defer { state.upstream = new }
            return state.upstream
        }
        old.stop()
    }

    public func stop() async {
        await server.stop()
        await portal.stop()
        state.withLock { $0.upstream }.stop()
    }

    /// - Returns: whether the connection continues.
    private static func handle(
        _ request: HTTPRequest, _ peer: ScriptedPeer, _ fault: Fault?, _ state: Lock<State>,
        _ origin: HTTPOrigin, _ portal: ScriptedServer
    ) async throws -> Bool {
        if let fault, let isOpen = try await respond(fault, peer, request, portal) {
            return isOpen
        }
        let (number, client) = state.withLock {
            (Int.random(in: 0..<40, using: &$0.random), $0.upstream)
        }
        return try await carry(request, peer, fault, number, client, origin)
    }

    // MARK: Responses of its own

    /// - Returns: true if the connection continues; `nil` if the request is to be carried out.
    private static func respond(
        _ fault: Fault, _ peer: ScriptedPeer, _ request: HTTPRequest, _ portal: ScriptedServer
    ) async throws -> Bool? {
        if let kind = fault.problem {
            let status = HTTPStatus(kind.status) ?? .internalServerError
            let fields: HTTPFields = [.retryAfter: "1", .contentType: Problem.mediaType]
            try await peer.send(bytes(of: status, fields, Problem(kind).json()))
            return true
        }
        if let status = fault.page {
            try await peer.send(page(status))
            return true
        }
        switch fault {
        case .cutBefore: return false
        case .garbage:
            try await peer.send(String(repeating: "\u{7}garbage ", count: 30))
            return false
        case .nonsense where request.method == .get:
            try await peer.respond("{\"items\":[{}]")
        case .empty: try await peer.respond("")
        case .pageAsJSON:
            try await peer.send(
                bytes(of: .ok, [.contentType: "application/json"], Array("<html>".utf8)))
        case .blank401, .blank404:
            let status: HTTPStatus = fault == .blank401 ? .unauthorized : .notFound
            let problem = Problem(type: "about:blank", title: "", status: status.code)
            try await peer.send(
                bytes(of: status, [.contentType: Problem.mediaType], problem.json()))
        case .portal:
            let location = "http://\(portal.address)/sign-in"
            try await peer.send(bytes(of: .found, [.location: location], []))
        case .loop:
            try await peer.send(
                bytes(of: .temporaryRedirect, [.location: "\(request.target)"], []))
        case .noHead, .stall, .drip, .cutGzip, .oversize, .endless:
            try await sendPart(of: fault, to: peer)
            return false
        default: return nil
        }
        return true
    }

    /// Sends a response that never ends, or whose end does not arrive.
    private static func sendPart(of fault: Fault, to peer: ScriptedPeer) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch fault {
        case .stall: try await peer.send(head + "Content-Length: 1000\r\n\r\n{\"items\":")
        case .drip:
            try await peer.send(head + "Content-Length: 1000000000\r\n\r\n")
            // Ends when the client has closed the connection.
            while true {
                try await peer.send([0x20])
                try await Task.sleep(for: .milliseconds(1))
            }
        case .cutGzip:
            let gzip: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56]
            try await peer.send(
                head + "Content-Encoding: gzip\r\nContent-Length: \(gzip.count)\r\n\r\n")
            return try await peer.send(gzip)
        case .oversize:
            try await peer.send(head + "Content-Length: 1073741824\r\n\r\n")
        case .endless:
            try await peer.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n\(String(repeating: " ", count: 65_536))\r\n".utf8)
            // Ends when the client has closed the connection.
            while true { try await peer.send(chunk) }
        default: break
        }
        await peer.waitForEnd()
    }

    private static func page(_ status: HTTPStatus) -> [UInt8] {
        bytes(
            of: status, [.contentType: "text/html", .etag: "\"page\"", .retryAfter: "3600"],
            Array("<html><title>Sign in to this network</title></html>".utf8))
    }

    // MARK: Responses of the server

    /// - Returns: whether the connection continues.
    private static func carry(
        _ request: HTTPRequest, _ peer: ScriptedPeer, _ fault: Fault?, _ number: Int,
        _ client: HTTPClient, _ origin: HTTPOrigin
    ) async throws -> Bool {
        var request = request
        request.fields.remove(.host)
        var options = ExchangeOptions()
        options.isStreamed = request.fields[.accept]?.hasPrefix("text/event-stream") == true
        options.stallMilliseconds = nil
        let response = try await client.send(request, to: origin, options: options)
        if case .stream(let stream) = response.body {
            switch fault {
            case nil, .delay?, .dribble?: try await pass(stream, response, to: peer)
            case .silence?: await peer.waitForEnd()
            case .reset?: peer.reset()
            default: break
            }
            return false
        }
        let bytes = bytes(of: response)
        switch fault {
        case .delay: for _ in 0..<number { await Task.yield() }
        case .cutAfter: return false
        case .truncate:
            try await peer.send(Array(bytes.prefix(bytes.count * number / 40)))
            return false
        case .reset:
            try await peer.send(Array(bytes.prefix(number)))
            peer.reset()
            return false
        case .dribble:
            for byte in bytes.prefix(number) { try await peer.send([byte]) }
            try await peer.send(Array(bytes.dropFirst(number)))
            return true
        case .silence:
            await peer.waitForEnd()
            return false
        default: break
        }
        try await peer.send(bytes)
        return true
    }

    /// Passes a stream on until one of both sides ends it.
    private static func pass(
        _ stream: HTTPBodyStream, _ response: HTTPResponse, to peer: ScriptedPeer
    ) async throws {
        var fields = response.fields
        for name in [HTTPFieldName.contentLength, .connection, .transferEncoding] {
            fields.remove(name)
        }
        let head = "HTTP/1.1 \(response.status.code) \(response.status.reason)\r\n"
        try await peer.send(
            Array(head.utf8) + fields.wireBytes + Array("Connection: close\r\n\r\n".utf8))
        while let piece = try await stream.next() { try await peer.send(piece) }
    }

    private static func bytes(of response: HTTPResponse) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        var fields = response.fields
        fields.remove(.contentLength)
        fields.remove(.connection)
        return bytes(of: response.status, fields, body)
    }

    private static func bytes(
        of status: HTTPStatus, _ fields: HTTPFields, _ body: [UInt8]
    ) -> [UInt8] {
        let head = "HTTP/1.1 \(status.code) \(status.reason)\r\n"
        let length = status.forbidsBody ? "" : "Content-Length: \(body.count)\r\n"
        return Array(head.utf8) + fields.wireBytes + Array("\(length)\r\n".utf8) + body
    }
}

extension FaultProxy.Fault {
    /// The backend's own problem.
    fileprivate var problem: Problem.Kind? {
        switch self {
        case .internalError: .internalError
        case .unavailable: .unavailable
        case .tooMany: .tooManyRequests
        case .unauthorized: .unauthenticated
        default: nil
        }
    }

    /// The status of a page that something else shows.
    fileprivate var page: HTTPStatus? {
        switch self {
        case .page: .ok
        case .page401: .unauthorized
        case .page403: .forbidden
        case .page404: .notFound
        case .page500: .internalServerError
        case .page502: .badGateway
        case .page503: .serviceUnavailable
        case .page504: .gatewayTimeout
        case .page511: HTTPStatus(511)
        default: nil
        }
    }
}
