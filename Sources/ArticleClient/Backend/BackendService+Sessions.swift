package import ArticleAPI
package import BroadsheetHTTP

/// Requests that belong to an account, and not to the user who happens to be signed in when they
/// are sent.
extension BackendService {
    /// The owner of the session to which requests belong that are made now.
    var owner: SessionOwner { (try? auth.session())?.account ?? .unknown }

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

    /// Sends a stored request as it was printed, as `sendOnce` of a typed one.
    ///
    /// - Parameters:
    ///   - request: the request, without credentials.
    ///   - success: the status of a successful response without a body.
    ///   - mediaType: the media type of a successful response; `nil` without a body.
    ///   - account: the account whose request it is.
    /// - Returns: the body of a successful response.
    package func sendOnce(
        _ request: HTTPRequest, success: HTTPStatus, mediaType: String?, as account: String
    ) async throws(BackendError) -> [UInt8] {
        let session = try await session()
        guard session.account == .account(account) else { throw .signedOut }
        let verdict = Verdict(
            mediaType: mediaType, success: success, problemTypes: configuration.problemTypes)
        let service = withoutRetries
        let call = try Call(
            request, of: nil, number: network.nextRequest(), service.configuration,
            RequestOptions(), verdict, isStreamed: false, by: auth, in: session,
            now: environment.now)
        return try await service.response(to: call).get().bytes
    }
}

/// The same service with other parts.
extension BackendService {
    /// The same service with a memory.
    package func with(_ memory: any ResponseMemory) -> BackendService {
        BackendService(
            configuration: configuration, auth: auth, cache: cache, network: network,
            writes: writes, memory: memory, environment: environment)
    }

    /// The same service without a memory, for callers that decide themselves when to repeat a
    /// request and what to store.
    var withoutRetries: BackendService {
        var configuration = configuration
        configuration.retries = .none
        return BackendService(
            configuration: configuration, auth: auth, cache: cache, network: network,
            writes: writes, environment: environment)
    }

    /// The same service without credentials, for requests that get new ones.
    var withoutCredentials: BackendService { with(BackendAuth()) }

    /// The same service with other credentials, and without a cache.
    func with(_ auth: BackendAuth) -> BackendService {
        BackendService(
            configuration: configuration, auth: auth, cache: nil, network: network,
            writes: writes, environment: environment)
    }
}
