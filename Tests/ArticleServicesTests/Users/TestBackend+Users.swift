import ArticleAPI
import BroadsheetHTTP
import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// The password of every user in these tests.
let correctPassword = "correct horse"

extension TestBackend {
    /// Creates a user with a role.
    @discardableResult
    func addUser(_ name: String, _ role: String = "reader") throws -> User {
        let made = try send(
            "POST /v1/users", as: .operator,
            #"{"name":"\#(name)","password":"\#(correctPassword)","role":"\#(role)"}"#)
        try #require(made.summary == "201", "\(made.text)")
        return try User(mapping: made.body)
    }

    func signIn(
        _ name: String, password: String = correctPassword, from address: String? = nil
    ) throws -> UserSession {
        let response = try sendSignIn(name, password, from: address)
        try #require(response.summary == "201", "\(response.text)")
        return try UserSession(mapping: response.body)
    }

    func sendSignIn(
        _ name: String, _ password: String, from address: String? = nil
    ) throws -> BackendResponse {
        try send(
            "POST /v1/sessions", #"{"name":"\#(name)","password":"\#(password)"}"#,
            from: address)
    }

    func refresh(_ session: UserSession) throws -> BackendResponse {
        try send("POST /v1/sessions/refresh", #"{"refreshToken":"\#(session.refreshToken)"}"#)
    }

    /// Sends a request in a session.
    @discardableResult
    func send(
        _ line: String, in session: UserSession, _ json: String? = nil,
        with fields: HTTPFields = HTTPFields()
    ) throws -> BackendResponse {
        var fields = fields
        fields.append(.authorization, "Bearer \(session.accessToken)")
        return try send(line, as: .anonymous, json, with: fields)
    }

    /// Sends a request without credentials, over TLS from an address; from this machine if `nil`.
    func send(_ line: String, _ json: String, from address: String?) throws -> BackendResponse {
        var fields = HTTPFields()
        if let address {
            fields.append(.xForwardedFor, address)
            fields.append(.xForwardedProto, "https")
        }
        return try send(line, as: .anonymous, json, with: fields)
    }
}

extension PasswordHash.Cost {
    /// The least that libsodium accepts.
    static let least = PasswordHash.Cost(passes: 1, memoryBytes: 8 << 10)
}
