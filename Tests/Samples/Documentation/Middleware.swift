import BroadsheetHTTP
import BroadsheetKit

/// Signs every request to one origin, such as by a key in the Secure Enclave.
struct Signing: RequestMiddleware {
    let origin: HTTPOrigin
    /// Returns the signature of these bytes.
    let sign: @Sendable ([UInt8]) async throws -> String

    func respond(
        to request: HTTPRequest, in context: ExchangeContext, next: Next
    ) async throws(TransportError) -> HTTPResponse {
        guard context.origin == origin else { return try await next(request) }
        var request = request
        do {
            request.fields[HTTPFieldName("X-Signature")!] = try await sign(
                Array("\(request.method) \(request.target)\n".utf8) + request.body)
        } catch {
            throw .failed(TransportFailure(.unsupported, "no signature: \(error)"))
        }
        return try await next(request)
    }
}

/// A service whose requests are signed.
func signedBackend(
    _ configuration: BackendConfiguration,
    sign: @escaping @Sendable ([UInt8]) async throws -> String
) -> BackendService {
    BackendService(
        configuration: configuration,
        middleware: [Signing(origin: configuration.baseURL.origin, sign: sign)])
}
