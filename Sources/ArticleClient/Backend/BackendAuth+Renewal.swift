import ArticleAPI
import BroadsheetHTTP

extension BackendAuth {
    /// Renews a session of the backend with its refresh token (``RefreshSessionRequest``); keys and
    /// other credentials without a refresh token cannot be renewed.
    ///
    /// If the response is lost, the request is repeated: for a minute, the backend gives the same
    /// tokens again. Later, it would take the repetition for that of a thief.
    public static let renewSession: Refresh = { old, backend in
        guard let token = old.refreshToken else { throw BackendAuth.rejection }
        var options = RequestOptions(timeout: min(backend.configuration.timeout, repetition))
        options.isRepeatable = true
        let session = try await backend.send(
            RefreshSessionRequest(refreshToken: token), options: options)
        var new = Credentials(session).new(at: backend.environment.wallSeconds())
        // An app may have its own name of the account, which stays the same.
        new.account = old.account ?? new.account
        return new
    }

    /// The interval of repeated renewals: less than a minute, so that a request sent at its end
    /// still arrives in time.
    private static let repetition = Duration.seconds(50)

    static let rejection = BackendError.unauthorized(
        Problem(type: "about:blank", title: "", status: HTTPStatus.unauthorized.code))
    static let foreign = BackendError.transport(
        TransportFailure(.credentials, "the renewal returned credentials of another account"))

    /// Returns true if a rejection concerns the credentials, so that a retry would not help.
    static func isFinal(_ status: Int) -> Bool {
        (400..<500).contains(status) && status != 408 && status != 429
    }

    static func failure(_ error: any Error) -> BackendError {
        if error is CancellationError { return .cancelled }
        return error as? BackendError
            ?? .transport(TransportFailure(.credentials, "the renewal failed: \(error)"))
    }
}
