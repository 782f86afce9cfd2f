import ArticleAPI
import ArticleClient

/// Sends one request with the credentials in a file, and prints the name of their user:
/// `broadsheet-session-client URL FILE`.
@main
enum SessionClient {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let path = arguments.last,
            let url = arguments.first.flatMap({ BaseURL($0) })
        else { return print("usage: broadsheet-session-client URL FILE") }
        let backend = BackendService(
            configuration: BackendConfiguration(baseURL: url),
            auth: try BackendAuth(store: FileCredentialStore(path: path)))
        print(try await backend.send(FetchMeRequest()).name ?? "")
    }
}
