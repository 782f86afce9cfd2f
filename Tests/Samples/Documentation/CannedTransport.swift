import BroadsheetHTTP
import BroadsheetKit

/// A backend that says one thing to everybody, byte by byte.
func cannedBackend(json: String) -> BackendService {
    let transport = InProcessTransport { _, _ in
        HTTPResponse(
            .ok, fields: [.contentType: "application/json"], body: .bytes(Array(json.utf8)))
    }
    return BackendService(
        configuration: BackendConfiguration(baseURL: "http://localhost"), transport: transport)
}
