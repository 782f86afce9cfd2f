import ArticleAPI
import ArticleServiceCore
import BroadsheetHTTP

/// `POST /console/session`: signs in to the console, or renews a session.
package struct BeginConsoleSessionRequest: BackendAPIRequest {
    static let endpoint = Endpoint(
        .post, "/console/session", name: "beginConsoleSession", summary: "Signs in to the console",
        access: .everyone, success: .created, carriesSecrets: true)
    typealias Item = ConsoleSession

    static let parameters = Parameters(Self.init(body:), .body(\.body))

    fileprivate let body: ConsoleSignIn

    func proof() throws(ServiceError) -> ConsoleCredentials {
        guard let proof = body.proof else {
            throw .invalidValue(
                "", "must have name and password, or only one of key, token, refreshToken and renew"
            )
        }
        return proof
    }
}

/// The credentials with which a user signs in to the console, or renews a session.
enum ConsoleCredentials: Sendable, Hashable {
    case password(name: String, password: String)
    case key(String)
    /// The text in a link that was printed on this machine.
    case link(String)
    case refreshToken(String)
    /// The refresh token in the cookie.
    case cookie
}

/// The body of a request to begin a session.
private struct ConsoleSignIn: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init(name:password:key:token:refreshToken:renew:),
        .optional("name", \.name, .text(.lines(limitBytes: 1_000))),
        .optional("password", \.password, .text(.lines(limitBytes: 1_000))),
        .optional("key", \.key, .text(.lines(limitBytes: 200))),
        .optional("token", \.token, .text(.lines(limitBytes: 200))),
        .optional("refreshToken", \.refreshToken, .text(.sessionToken)),
        .optional("renew", \.renew, .boolean))

    var name: String?
    var password: String?
    package var key: String?
    var token: String?
    var refreshToken: String?
    var renew: Bool?

    /// `nil` unless there is exactly one.
    var proof: ConsoleCredentials? {
        switch (name, password, key, token, refreshToken, renew) {
        case (let name?, let password?, nil, nil, nil, nil):
            .password(name: name, password: password)
        case (nil, nil, let key?, nil, nil, nil): .key(key)
        case (nil, nil, nil, let token?, nil, nil): .link(token)
        case (nil, nil, nil, nil, let token?, nil): .refreshToken(token)
        case (nil, nil, nil, nil, nil, true?): .cookie
        default: nil
        }
    }
}

/// The user of the console, and the time of the session.
struct ConsoleSession: Sendable, Hashable {
    /// The place in which the browser keeps the session.
    enum Mode: String, Sendable, CaseIterable {
        /// In a cookie that scripts cannot read.
        case cookie
        /// In the page's memory: over plain HTTP on this machine, where cookies are not safe.
        case bearer
    }

    enum Kind: String, Sendable, CaseIterable {
        case anonymous, user, key
        case `operator`
    }

    var mode: Mode
    var kind: Kind
    /// True if a refresh token is at hand.
    var canRenew = false
    var expiresAt: Timestamp?
    /// That of the user, or of the key.
    var name: String?
    package var role: String?
    /// The user, or the one that the key acts for.
    package var user: User?
    /// These two only in bearer mode, in the response to a sign-in.
    var accessToken: String?
    var refreshToken: String?
}

extension ConsoleSession: JSONModel {
    static let shape = ObjectCodec(
        Self.init(
            mode:kind:canRenew:expiresAt:name:role:user:accessToken:refreshToken:),
        .required("mode", \.mode, .text(.choice)),
        .required("kind", \.kind, .text(.choice)),
        .required("canRenew", \.canRenew, .boolean),
        .optional("expiresAt", \.expiresAt, .timestamp),
        .optional("name", \.name, .text(.lines(limitBytes: 1_000))),
        .optional("role", \.role, .text(.token(1...16))),
        .optional("user", \.user, User.format),
        .optional("accessToken", \.accessToken, .text(.sessionToken)),
        .optional("refreshToken", \.refreshToken, .text(.sessionToken)))
}
