import BroadsheetKit

extension ErrorText {
    /// The texts about an error; `nil` if nobody waits for what has failed.
    init?(ifShown error: any Error, for purpose: Purpose = .load) {
        if error is CancellationError { return nil }
        if let error = error as? BackendError, error.isStopped { return nil }
        self.init(error, for: purpose)
    }
}
