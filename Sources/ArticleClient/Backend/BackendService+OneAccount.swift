package import ArticleAPI

/// Requests that belong to an account, and not to the user who happens to be signed in when they
/// are sent.
extension BackendService {
    /// Sends the request, without retries, in the current session if that belongs to this account.
    ///
    /// The token is taken from this session and no other, and an ended session has none: whenever
    /// a user signs in or out, nothing is sent in the session of another account.
    ///
    /// - Throws: `signedOut` if the current session is of another account, or ends meanwhile.
    ///   `offline` only if the request did not reach the backend.
    package func sendOnce<Request: BackendAPIRequest>(
        _ request: Request, as account: String, options: RequestOptions = .init()
    ) async throws(BackendError) -> Request.Item {
        let outcome = await withoutRetries.outcome(
            of: request, options: options, onlyAs: .account(account))
        return try outcome.result.get().item
    }
}
