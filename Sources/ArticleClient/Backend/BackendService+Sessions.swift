package import ArticleAPI

/// Requests that belong to an account, and not to the user who happens to be signed in when they
/// are sent.
extension BackendService {
    /// The owner of the session to which requests belong that are made now.
    package var owner: SessionOwner { (try? auth.session())?.account ?? .unknown }

    /// The session of a request.
    ///
    /// - Parameter id: the session in which it was made; `nil` for the current one.
    func session(_ id: Session.ID? = nil) async throws(BackendError) -> Session {
        if auth.hasStore { try await auth.reloadFromStore() }
        return try auth.session(id)
    }

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
        let session = try await session()
        guard session.account == .account(account) else { throw .signedOut }
        return try await withoutRetries.reply(to: request, options: options, in: session.id).item
    }
}
