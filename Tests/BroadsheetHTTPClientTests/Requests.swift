import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetSockets
import Testing

/// A request for a path.
func request(
    _ path: String, _ method: HTTPMethod = .get, body: [UInt8] = []
) throws -> HTTPRequest {
    HTTPRequest(method, try #require(RequestTarget(path: path)), body: body)
}

extension HTTPOrigin {
    /// Creates the origin of a test's server.
    init(_ address: SocketAddress) {
        switch address {
        case .unix(let path): self.init(unixSocket: path)
        case .v4(let bytes, let port):
            let host = bytes.map(String.init).joined(separator: ".")
            self = HTTPOrigin("http://\(host):\(port)") ?? HTTPOrigin(unixSocket: host)
        case .v6(_, let port):
            self = HTTPOrigin("http://[::1]:\(port)") ?? HTTPOrigin(unixSocket: "")
        }
    }
}

extension HTTPResponse {
    /// The body of a complete response as text.
    var text: String? {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// The body of a streamed response, read to its end.
    func gathered() async throws -> [UInt8] {
        guard case .stream(let stream) = body else { return [] }
        var bytes: [UInt8] = []
        while let piece = try await stream.next() { bytes += piece }
        return bytes
    }
}

/// The error that the work throws; `nil` if it does not throw.
func failure(
    _ work: () async throws(HTTPClientError) -> HTTPResponse
) async -> HTTPClientError? {
    do throws(HTTPClientError) {
        _ = try await work()
        return nil
    } catch {
        return error
    }
}

/// `GET /`.
let plain = HTTPRequest(.get, RequestTarget(path: "/") ?? asterisk)
private let asterisk = RequestTarget("*".utf8)!

/// For responses that a test delays: a busy machine may not schedule its task for long.
let patient = {
    var options = ExchangeOptions()
    options.deadlineMilliseconds = 300_000
    options.stallMilliseconds = nil
    return options
}()
