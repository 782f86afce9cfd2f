import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport

/// A proxy that damages and delays responses as networks and servers do.
final class FaultProxy: Sendable {
    enum Fault: CaseIterable {
        case delay, cutBefore, cutAfter, truncate, reset, garbage, nonsense, loop
        case internalError, unavailable, tooMany, unauthorized, dribble
        /// The request is carried out but never gets a response.
        case silence
    }

    private let server: ScriptedServer
    private let upstream: HTTPClient

    /// - Parameters:
    ///   - address: of the real server.
    ///   - seed: decides what happens to which exchange.
    ///   - faultPercent: how many exchanges something happens to.
    ///   - version: what it speaks with the server.
    init(
        to address: SocketAddress, seed: UInt64, faultPercent: Int, over version: HTTPVersion
    ) throws {
        let random = Lock(SplitMix64(seed: seed))
        let client = try HTTPClient(.cleartext(version))
        upstream = client
        let origin = HTTPOrigin("http://\(address)") ?? HTTPOrigin(unixSocket: "")
        server = try ScriptedServer { peer, _ in
            while let request = try await peer.request() {
                let fault: Fault? = random.withLock { random in
                    guard Int.random(in: 0..<100, using: &random) < faultPercent else { return nil }
                    // Silence costs a deadline: now and then is enough.
                    let fault = Fault.allCases.randomElement(using: &random)
                    let isRare = Int.random(in: 0..<20, using: &random) > 0
                    return fault == .silence && isRare ? .cutAfter : fault
                }
                let number = random.withLock { Int.random(in: 0..<40, using: &$0) }
                guard
                    try await Self.carry(request, peer, fault, number, client, origin)
                else { return }
            }
        }
    }

    var address: SocketAddress { server.address }
    var connectionCount: Int { server.connectionCount }

    func stop() async {
        await server.stop()
        upstream.stop()
    }

    /// - Returns: whether the connection continues.
    private static func carry(
        _ request: HTTPRequest, _ peer: ScriptedPeer, _ fault: Fault?, _ number: Int,
        _ client: HTTPClient, _ origin: HTTPOrigin
    ) async throws -> Bool {
        if let status = fault?.status {
            try await peer.send(answer(HTTPResponse(status, fields: [.retryAfter: "1"])))
            return true
        }
        switch fault {
        case .cutBefore: return false
        case .garbage:
            try await peer.send(String(repeating: "\u{7}garbage ", count: number))
            return false
        case .nonsense where request.method == .get:
            try await peer.respond("{\"items\":[{}]")
            return true
        case .loop:
            try await peer.send(
                answer(
                    HTTPResponse(
                        .temporaryRedirect, fields: [.location: "\(request.target)"])))
            return true
        default: break
        }
        var request = request
        request.fields.remove(.host)
        let bytes = answer(try await client.send(request, to: origin))
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

    private static func answer(_ response: HTTPResponse) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        var fields = response.fields
        fields.remove(.contentLength)
        fields.remove(.connection)
        let head = "HTTP/1.1 \(response.status.code) \(response.status.reason)\r\n"
        let length = response.status.forbidsBody ? "" : "Content-Length: \(body.count)\r\n"
        return Array(head.utf8) + fields.wireBytes + Array("\(length)\r\n".utf8) + body
    }
}

extension FaultProxy.Fault {
    fileprivate var status: HTTPStatus? {
        switch self {
        case .internalError: .internalServerError
        case .unavailable: .serviceUnavailable
        case .tooMany: .tooManyRequests
        case .unauthorized: .unauthorized
        default: nil
        }
    }
}
