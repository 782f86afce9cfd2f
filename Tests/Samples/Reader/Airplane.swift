import ArticleClient
import BroadsheetHTTP
import Synchronization

/// A transport with a switch for all of it, as in an airplane.
final class Airplane: Transport {
    private let transport: any Transport
    private let isOffline = Mutex(false)

    init(_ transport: any Transport) { self.transport = transport }

    var isOn: Bool { isOffline.withLock { $0 } }

    func toggle() { isOffline.withLock { $0.toggle() } }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        guard !isOn else { throw .offline("airplane mode is on") }
        return try await transport.exchange(request, with: origin, options: options)
    }
}
