import ArticleAPI
import ArticleAdminAPI
import Testing

/// Values that contain secrets, as `print`, `dump` and failed expectations show them.
@Suite struct RedactedTests {
    private static func shown(_ value: some Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    private static let values: [any Sendable] = [
        SignInRequest(name: "ada", password: "hush"),
        SignInRequest(ProvidedIdentity(provider: "p", idToken: "hush", nonce: "hush")),
        RefreshSessionRequest(refreshToken: "hush"),
        User.Draft(name: "ada", password: "hush", invitation: "hush"),
        User.Changes(password: .set("hush")),
        User.PasswordChange(current: "hush", password: "hush"),
        UserSession(
            accessToken: "hush", expiresAt: Timestamp(milliseconds: 0), refreshToken: "hush",
            user: User(id: User.ID(at: Timestamp(milliseconds: 0)), displayName: "Ada")),
        Invitation(
            id: "1", code: "hush", role: .reader, createdAt: Timestamp(milliseconds: 0),
            expiresAt: Timestamp(milliseconds: 0)),
    ]

    @Test(arguments: values.indices)
    func `passwords, tokens and codes are not shown`(index: Int) {
        let text = Self.shown(Self.values[index])
        #expect(!text.contains("hush"), "\(text)")
    }

    @Test func `they can be read, changed and compared as before`() {
        var draft = User.Draft(name: "ada", password: "hush")
        #expect(draft.password == "hush" && draft == User.Draft(name: "ada", password: "hush"))
        draft.password = "other"
        #expect(draft.password == "other" && draft != User.Draft(name: "ada", password: "hush"))
    }
}
