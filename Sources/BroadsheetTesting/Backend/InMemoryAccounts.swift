import ArticleAPI
import BroadsheetHTTP

extension InMemoryState {
    /// Finds out whose request it is.
    mutating func authenticate(_ fields: HTTPFields) throws(Problem) {
        session = nil
        guard let text = fields[.authorization] else { return }
        session = sessions.first { text == "Bearer \($0.tokens.accessToken)" }?.tokens
        if session.map({ $0.expiresAt <= now }) ?? true {
            throw Problem(
                .unauthenticated, detail: "The access token is unknown or has expired.")
        }
    }

    /// The sender of the request, who has to be signed in.
    func signedIn() throws(Problem) -> User {
        if let session { return session.user }
        throw Problem(
            .unauthenticated,
            detail: "Send an API key or an access token: Authorization: Bearer …")
    }

    /// Adds an account, unless there is one of that name.
    ///
    /// - Parameter password: `nil` if every password is right.
    mutating func add(_ user: User, password: String?) -> User {
        let name = (user.name ?? user.displayName).caseFolded
        let account = accounts[name] ?? (user, password)
        accounts[name] = account
        return account.user
    }

    fileprivate mutating func newUser(
        _ name: String, displayName: String? = nil, _ role: User.Role? = nil
    ) -> User {
        let now = newTime()
        return User(
            id: newID(), displayName: displayName ?? name, name: name, role: role ?? .editor,
            isDisabled: false, createdAt: now, updatedAt: now, revision: 1)
    }

    mutating func begin(for user: User) -> UserSession {
        let session = newTokens(for: user)
        sessions.append((session, nil))
        return session
    }

    /// Tokens that no other backend in memory has; they need not be secret.
    fileprivate mutating func newTokens(for user: User) -> UserSession {
        let id: Identifier<UserSession> = newID()
        return UserSession(
            accessToken: "access-\(epoch)-\(id)",
            expiresAt: now.advanced(byMilliseconds: 15 * 60 * 1_000),
            refreshToken: "refresh-\(epoch)-\(id)", user: user)
    }
}

extension SignUpRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<User> {
        guard state.accounts[user.name.caseFolded] == nil else {
            throw .taken(.nameTaken, "Another user has this name.", "/name")
        }
        let new = state.newUser(user.name, displayName: user.displayName, user.role)
        return InMemoryReply(
            item: state.add(new, password: user.password), location: "/v1/users/\(new.id)")
    }
}

extension SignInRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<UserSession> {
        guard case .password(let name, let password) = signIn.proof else {
            throw Problem(
                .notImplemented, detail: "The backend in memory has no providers of identities.")
        }
        let known = state.accounts[name.caseFolded]
        guard known?.password ?? password == password else {
            throw Problem(.unauthenticated, detail: "The name or the password is wrong.")
        }
        let user = known?.user ?? state.add(state.newUser(name), password: nil)
        return InMemoryReply(item: state.begin(for: user))
    }
}

extension RefreshSessionRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<UserSession> {
        let token = refreshToken
        let place = state.sessions.firstIndex {
            $0.tokens.refreshToken == token || $0.former == token
        }
        guard let place else {
            throw Problem(.unauthenticated, detail: "The session has ended; sign in again.")
        }
        let current = state.sessions[place].tokens
        if current.refreshToken == token {
            state.sessions[place] = (state.newTokens(for: current.user), token)
        }
        return InMemoryReply(item: state.sessions[place].tokens)
    }
}

extension SignOutRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<NoContent> {
        let token = state.session?.accessToken
        state.sessions.removeAll { $0.tokens.accessToken == token }
        return InMemoryReply(item: NoContent())
    }
}

extension FetchMeRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<User> {
        InMemoryReply(item: try state.signedIn())
    }
}
