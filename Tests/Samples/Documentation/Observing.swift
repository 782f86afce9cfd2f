import BroadsheetKit

/// A service that prints each request as a line for a shell, without its secrets.
func observedBackend(_ configuration: BackendConfiguration) -> BackendService {
    BackendService(
        configuration: configuration,
        observers: [
            { event in
                guard case .finished = event.kind else { return }
                print("\(event.curl)  # took \(event.duration)")
            }
        ])
}
