import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import Testing

/// The examples of accounts and their sessions.
@Suite struct ArticleAPIAccountExamples {
    private let backend = ServedExampleBackend.backend()
    private let id = ServedExampleBackend.user.id
    private let password = "correct horse"

    @Test func `signing up, and in`() async throws {
        do {
            let user = try await backend.send(
                SignUpRequest(user: User.Draft(name: "ada", password: password)))
            #expect(user.displayName == "Ada" && backend.auth.isSignedIn)
        }
        do {
            let session = try await backend.send(
                SignInRequest(name: "ada", password: password, device: "Ada's phone"))
            #expect(session.user == ServedExampleBackend.user)
        }
        let session = try await backend.send(SignInRequest(name: "ada", password: password))
        let greeting = "Hello, \(session.user.displayName)!"
        #expect(greeting == "Hello, Ada!" && backend.auth.isSignedIn)
    }

    @Test func `sessions are renewed, listed and ended`() async throws {
        let token = "bsr_x"
        let renewed = try await backend.send(RefreshSessionRequest(refreshToken: token))
        #expect(renewed.accessToken == "bsa_x")
        let devices = try await backend.send(FetchSessionsRequest()).items.map(\.device)
        #expect(devices == ["Ada's phone"])
        let sessions = try await backend.send(FetchSessionsRequest()).items
        let others = sessions.filter { !$0.isCurrent }
        #expect(others.count == 1)
        for session in others {
            try await backend.send(EndSessionRequest(id: session.id))
        }
        try await backend.send(SignOutRequest())
    }

    @Test func `the own account`() async throws {
        do {
            let me = try await backend.send(
                UpdateMeRequest(changes: User.OwnChanges(displayName: .set("Ada L."))))
            #expect(me.displayName == "Ada L.")
        }
        let me = try await backend.send(FetchMeRequest())
        let isEditor = me.role == .editor
        #expect(!isEditor)
        do {
            let export = try await backend.send(ExportAccountRequest())
            let titles = export.articles.map(\.title)
            #expect(titles == ["Bread"])
        }
        let export = try await backend.send(ExportAccountRequest())
        let hidden = export.comments.filter { $0.status == .hidden }
        #expect(hidden.isEmpty)
        let (old, new) = (password, "battery staple")
        try await backend.send(
            ChangePasswordRequest(User.PasswordChange(current: old, password: new)))
        try await backend.send(DeleteMeRequest(current: password, comments: .delete))
        #expect(!backend.auth.isSignedIn)
    }

    @Test func `the accounts of others`() async throws {
        let page = try await backend.send(FetchUsersRequest(limit: 100))
        #expect(page.items == [ServedExampleBackend.user])
        let name = try await backend.send(FetchUserRequest(id: id)).displayName
        #expect(name == "Ada")
        let user = try await backend.send(
            UpdateUserRequest(id: id, changes: User.Changes(role: .set(.author))))
        #expect(user.role == .author)
        let sessions = try await backend.send(FetchUserSessionsRequest(id: user.id)).items
        #expect(sessions.count == 1)
        for session in sessions {
            try await backend.send(EndUserSessionRequest(id: user.id, session: session.id))
        }
        try await backend.send(DeleteUserRequest(id: id, comments: .delete))
        let invitation = try await backend.send(
            CreateInvitationRequest(Invitation.Draft(role: .author)))
        let code = invitation.code
        #expect(code == "bsi_x")
    }
}
