package import ArticleAPI

/// The outcome of a request, and the owner of the session in which it was made.
package struct OwnedOutcome<Item: Sendable>: Sendable {
    package let result: Result<BackendReply<Item>, BackendError>
    /// `nil` if the request does not belong to any session, because it was not made.
    package let owner: SessionOwner?
}

extension BackendService {
    /// The owner of the session to which requests belong that are made now.
    package var owner: SessionOwner { (try? auth.session())?.account ?? .unknown }

    /// Sends the request, and returns the owner of the session to which it belonged from its
    /// beginning to its end.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - options: the options of the request.
    ///   - owner: the required owner of the session; in another one nothing is sent, and the result
    ///     is `signedOut`. `nil` for any.
    package func outcome<Request: BackendAPIRequest>(
        of request: Request, options: RequestOptions = .init(), onlyAs owner: SessionOwner? = nil
    ) async -> OwnedOutcome<Request.Item> {
        var found: SessionOwner?
        do throws(BackendError) {
            if auth.hasStore { try await auth.catchUpWithStore() }
            let session = try auth.session()
            found = session.account
            guard owner == nil || owner == found else { throw .signedOut }
            let reply = try await reply(to: request, options: options, in: session.id)
            return OwnedOutcome(result: .success(reply), owner: found)
        } catch { return OwnedOutcome(result: .failure(error), owner: found) }
    }
}
