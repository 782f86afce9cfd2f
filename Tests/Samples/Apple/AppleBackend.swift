import BroadsheetKit
import Foundation

/// A service with a session of its own, whose key the app shares with its extensions.
func makeBackend() throws -> BackendService {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.waitsForConnectivity = true
    configuration.allowsConstrainedNetworkAccess = false
    let backend = BackendConfiguration(baseURL: "https://articles.example.org")
    let store = KeychainCredentialStore(
        service: "org.example.reader", baseURL: backend.baseURL,
        accessGroup: "ABCDE12345.org.example.shared")
    return BackendService(
        configuration: backend, transport: URLSessionTransport(configuration: configuration),
        auth: try BackendAuth(store: store))
}
