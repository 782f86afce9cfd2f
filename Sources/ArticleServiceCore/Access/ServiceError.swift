package import ArticleAPI
package import ArticleStore
package import BroadsheetHTTP

/// The reason why a service did not fulfil a request; `ServiceProblem.swift` maps it to HTTP.
package enum ServiceError: Error, Sendable {
    /// The request violates the API contract.
    case rejected(RequestValidationError)
    case notFound
    /// The article is public, but another user owns it, or none.
    case notOwner
    /// Only editors may change the owner of an article.
    case ownerFixed
    case unauthenticated(CredentialFault)
    case forbidden(needed: Role, has: Role)
    /// The key acts for no user.
    case userRequired
    /// Keys cannot do this, even for a user.
    case sessionRequired
    /// Sign-up needs an invitation.
    case signUpClosed
    /// Another page than the console's has sent the request, or a program where only a browser can.
    case foreignPage
    /// The request's secrets may have been read on the way.
    case exposedSecrets
    /// `If-Match` must be sent.
    case preconditionRequired
    /// `If-Match` named another revision; the payload is the current one, `nil` if there is none.
    case preconditionFailed(current: Int?)
    /// This precondition of a read does not match the current representation.
    case representationDiffers(HTTPFieldName)
    /// `If-Match` has a weak tag, which matches nothing (RFC 9110 §13.1.1), and no other that does.
    case weakTag
    /// A token of changes is unreadable, or of another request or role.
    case invalidToken
    /// A token of changes belongs to another history of the database.
    case syncReset
    /// The first request with this idempotency key is still being processed.
    case inFlight
    /// The idempotency key belongs to another request.
    case keyReused
    /// The problem with which the first attempt at this request was rejected.
    case rejectedBefore(Problem)
    case idTaken
    case slugTaken(String)
    /// Another user has this name.
    case nameTaken
    /// Values that are well-formed but not valid, each with its location.
    case invalid([Problem.Detail])
    /// The only media type that is available.
    case notAcceptable(String)
    case busy
    /// Writes wait for a commit that takes too long.
    case delayed(CommitDelay)
    /// This node may not have seen the latest changes.
    case behind
    /// Neither has it, as its database does not respond.
    case cutOff
    /// Articles that were due before the start are being published.
    case starting
    /// The server is about to stop, and still responds to other requests.
    case stopping
    /// The index of the search is being built.
    case indexing
    /// The remaining rate limit does not cover the cost of this request.
    case overLimit(tokens: Int, retryAfterSeconds: Int)
    /// Too many attempts to sign in failed, for this account or from this address.
    case tooManyAttempts(retryAfterSeconds: Int)
    /// Too many accounts were created from this address.
    case tooManySignUps(retryAfterSeconds: Int)
    /// The article takes no new comments.
    case commentsClosed
    /// A comment can no longer be changed; it could be for this time.
    case editTimeOver(seconds: Int)
    /// The comment is by another user.
    case notTheWriter
    /// The writer has just written the same comment.
    case repeatedComment
    /// The writer has written as many comments as may be for now.
    case tooManyComments(retryAfterSeconds: Int)
    /// The user has edited comments or set bookmarks as often as may be for now.
    case tooManyWrites(retryAfterSeconds: Int)
    case tooManyBookmarks
    /// Another export of the account is being made or sent.
    case exporting
    /// As many change streams are open as may be, in all or from the client's address.
    case tooManyStreams(ofAddress: Bool)
    case full
    /// The database is being moved to another engine.
    case moving
    /// Records were removed, but their text may be left in files.
    case purgeIncomplete(cause: String)
    /// The cause is only logged.
    case unavailable(cause: String)
    /// A fault of the server's, which trying again does not mend. The cause is only logged.
    case failed(cause: String)

    /// The fault of credentials.
    public enum CredentialFault: Sendable, Hashable {
        case missing, malformed, unknown, revoked, expired
        /// The name and the password are not those of an account.
        case wrongPassword
        /// The account was disabled.
        case disabled
        /// The refresh token is not the current one of a session.
        case endedSession
        /// The link to sign in was used, has expired, or is not for this machine.
        case usedLink
        /// An ID token was rejected; the reason follows "The identity token".
        case identityToken(reason: String)
    }

    /// Returns the store's value, or `nil` if it does not have it.
    package static func ifFound<Value>(
        _ read: () async throws(StoreError) -> Value
    ) async throws(ServiceError) -> Value? {
        do throws(StoreError) { return try await read() } catch {
            if case .notFound = error { return nil }
            throw ServiceError(error)
        }
    }

    /// The error of a request with these fields: clients send weak tags because something on the
    /// way, such as a proxy that compresses, has weakened those of responses.
    package func explained(by fields: HTTPFields) -> ServiceError {
        switch self {
        case .preconditionFailed(current: .some), .representationDiffers(.ifMatch):
            guard let text = fields.combined(.ifMatch), case .tags(let tags)? = IfMatch(text),
                tags.contains(where: \.isWeak)
            else { return self }
            return .weakTag
        default: return self
        }
    }

    /// Returns the error of a node that has nothing recent enough.
    package static func outdated(_ node: any StoreNode) -> ServiceError {
        node.failure == nil ? .behind : .cutOff
    }

    /// One invalid value in the body.
    package static func invalidValue(_ pointer: String, _ detail: String) -> ServiceError {
        .invalid([Problem.Detail(detail, at: .pointer(pointer))])
    }

    /// One invalid parameter.
    package static func badParameter(_ name: String, _ detail: String) -> ServiceError {
        .rejected(
            RequestValidationError(
                .malformed, details: [Problem.Detail(detail, at: .parameter(name))]))
    }
}

extension ServiceError {
    /// The only place that converts store errors to service errors.
    package init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as StoreError: self = ServiceError(store: error)
        default: self = .unavailable(cause: "\(error)")
        }
    }

    private init(store error: StoreError) {
        switch error {
        case .notFound: self = .notFound
        case .notOwner: self = .notOwner
        case .ownerFixed: self = .ownerFixed
        case .unknownOwner(let id):
            self = .invalidValue(
                "/owner", "no user with the role author or above has the id \(id)")
        case .preconditionFailed(let current): self = .preconditionFailed(current: current)
        case .idTaken: self = .idTaken
        case .slugTaken(let slug): self = .slugTaken(slug)
        case .nameTaken: self = .nameTaken
        case .tokenUsed:
            self = .unauthenticated(.identityToken(reason: "was used before or has expired"))
        // The user exists now: a further attempt to sign in finds it.
        case .identityTaken: self = .busy
        case .unknownAuthor(let index, let id):
            self = .invalidValue("/authors/\(index)/id", "no author has the id \(id)")
        case .authorDiffers(let index, let name):
            self = .invalidValue(
                "/authors/\(index)/name",
                "this author's name is \"\(name)\"; change it with PUT /v1/authors/{id}")
        case .invalid(let details): self = .invalid(details)
        case .commentsClosed: self = .commentsClosed
        case .tooManyComments(let seconds): self = .tooManyComments(retryAfterSeconds: seconds)
        case .repeatedComment: self = .repeatedComment
        case .notTheWriter: self = .notTheWriter
        // The service of comments says which role the sender has.
        case .notEditor: self = .forbidden(needed: .editor, has: .reader)
        case .editTimeOver(let seconds): self = .editTimeOver(seconds: seconds)
        case .rejected(let cause): self = ServiceError(cause)
        case .keyReused: self = .keyReused
        case .repeated: self = .inFlight
        case .otherHistory: self = .syncReset
        case .busy: self = .busy
        case .delayed(let delay): self = .delayed(delay)
        case .full: self = .full
        case .moving: self = .moving
        case .conflict(let text), .tooMany(let text), .unavailable(let text), .corrupt(let text):
            self = .unavailable(cause: text)
        }
    }
}
