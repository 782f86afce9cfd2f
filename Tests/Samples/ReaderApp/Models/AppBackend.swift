import BroadsheetKit
import BroadsheetTesting

/// The backend of the app: samples in memory, if it was launched with `-samples`, as tests of its
/// screens do; otherwise that at the address.
func appBackend(
    at baseURL: BaseURL, auth: BackendAuth, arguments: [String] = CommandLine.arguments
) -> BackendService {
    BackendService.inMemory(
        .samples, ifLaunchedWith: "-samples", signedInAs: .sample(), arguments: arguments)
        ?? BackendService(configuration: BackendConfiguration(baseURL: baseURL), auth: auth)
}
