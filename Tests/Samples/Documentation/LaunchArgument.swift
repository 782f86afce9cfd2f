import BroadsheetKit
import BroadsheetTesting

/// The backend of an app: samples in memory, if a test of its screens has launched it with
/// `app.launchArguments = ["-samples"]`.
func appBackend(_ configuration: BackendConfiguration) -> BackendService {
    BackendService.inMemory(.samples, ifLaunchedWith: "-samples", signedInAs: .sample())
        ?? BackendService(configuration: configuration)
}
