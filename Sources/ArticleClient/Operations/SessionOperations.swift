public import ArticleAPI

/// A sign-in that a queue runs when its turn comes: it begins a session, as
/// ``BackendService/signIn(name:password:device:)`` does.
///
/// Operations that depend on it belong to the session that it begins.
///
/// ```swift
/// let signIn = SignInOperation(name: "ada", password: password, on: backend)
/// let list = ServiceOperation(FetchBookmarksRequest(), on: backend, after: [signIn.operation])
/// queue.add(signIn)
/// queue.add(list)
/// ```
public typealias SignInOperation = ServiceOperation<SignInRequest>

/// A sign-up that a queue runs when its turn comes: it creates an account and begins a session, as
/// a ``SignInOperation`` does.
public typealias SignUpOperation = ServiceOperation<SignUpRequest>

extension ServiceOperation where Request == SignInRequest {
    /// - Parameters:
    ///   - name: the name of the account, in any case.
    ///   - password: the password of the account.
    ///   - device: a name for the device or app, which the list of sessions shows.
    ///   - service: begins the session.
    ///   - group: the name by which it can be cancelled together with others.
    ///   - dependencies: the operations that must succeed first.
    public convenience init(
        name: String, password: String, device: String? = nil, on service: BackendService,
        group: String? = nil, after dependencies: [NetworkOperation] = []
    ) {
        self.init(
            SignInRequest(name: name, password: password, device: device), on: service,
            group: group, after: dependencies)
    }
}

extension ServiceOperation where Request == SignUpRequest {
    /// - Parameters:
    ///   - name: the name with which the user signs in.
    ///   - password: at least 8 characters, and at most 1,000 bytes in UTF-8; not a common one.
    ///   - displayName: the name that others see; `nil` for `name`.
    ///   - invitation: the code of an invitation, where sign-up is not open.
    ///   - service: begins the session.
    ///   - group: the name by which it can be cancelled together with others.
    ///   - dependencies: the operations that must succeed first.
    public convenience init(
        name: String, password: String, displayName: String? = nil, invitation: String? = nil,
        on service: BackendService, group: String? = nil,
        after dependencies: [NetworkOperation] = []
    ) {
        self.init(
            SignUpRequest(
                name: name, password: password, displayName: displayName, invitation: invitation),
            on: service, group: group, after: dependencies)
    }
}

extension NextSession {
    /// The last session for each `BackendAuth` after these operations.
    ///
    /// - Parameter own: the session after the operation that depends on them.
    static func sessions(
        behind dependencies: [NetworkOperation], and own: NextSession? = nil
    ) -> [NextSession] {
        if own == nil, dependencies.count == 1 { return dependencies[0].sessions }
        var all = own.map { [$0] } ?? []
        for session in dependencies.reversed().lazy.flatMap(\.sessions)
        where !all.contains(where: { $0.auth === session.auth }) {
            all.append(session)
        }
        return all
    }
}
