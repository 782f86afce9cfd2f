import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Testing

/// The texts about what people do wrong, as a server that runs reports it.
@Suite(.mayBlock) struct UserMistakeTests {
    let folder: TemporaryFolder
    let served: RunningServer
    let configuration: BackendConfiguration

    init() throws {
        folder = try TemporaryFolder()
        served = try RunningServer(folder.file("a.db"), ["--samples", "--sign-up", "open"])
        configuration = .patient(try #require(BaseURL("http://\(served.addresses[0])")))
    }

    private func backend(_ token: String? = nil) -> BackendService {
        BackendService(configuration: configuration, auth: BackendAuth(token: token))
    }

    /// The text of the error with which the work fails.
    private func text(
        _ purpose: ErrorText.Purpose, _ work: () async throws(BackendError) -> Void
    ) async -> String? {
        do throws(BackendError) {
            try await work()
            return nil
        } catch {
            let text = error.text(for: purpose, in: .english)
            let korean = error.text(for: purpose, in: .korean)
            #expect(korean.message.hasSuffix("다.") && korean.retry == text.retry)
            return "\(text.message) \(text.advice)"
        }
    }

    @Test func `what is wrong with a sign-up or a sign-in`() async throws {
        let backend = backend()
        func signUp(_ name: String, _ password: String, _ code: String? = nil) async -> String? {
            await text(.signUp) { () throws(BackendError) in
                try await backend.signUp(name: name, password: password, invitation: code)
            }
        }
        #expect(
            await signUp("mina", "short")
                == "The password is shorter than 8 characters. Make it longer and try again.")
        #expect(
            await signUp("mina", "password")
                == "The password is easy to guess. Choose another password.")
        #expect(
            await signUp("minamina", "minamina")
                == "The password is easy to guess. Choose another password.")
        #expect(
            await signUp("", "correct horse") == "The name is missing. Fill it in and try again.")
        #expect(
            await signUp("mina", "correct horse", "bsi_unknown")
                == "The invitation is not valid, or was used. Ask for a new invitation.")
        #expect(await signUp("mina", "correct horse") == nil)
        #expect(
            await signUp("mina", "correct horse")
                == "Another user has this name. Choose another name. If this one is yours, sign in."
        )
        #expect(
            await text(.signIn) { () throws(BackendError) in
                try await backend.signIn(name: "mina", password: "wrong")
            } == "The name or the password is wrong. Check both and try again.")
    }

    @Test func `what a reader may not do`() async throws {
        let reader = backend()
        try await reader.signUp(name: "mina", password: "correct horse")
        let change = User.PasswordChange(current: "wrong", password: "battery staple")
        #expect(
            await text(.save) { () throws(BackendError) in
                try await reader.send(ChangePasswordRequest(change))
            } == "The current password is wrong. Check it and try again.")
        let draft = Article.Draft(title: "Mine")
        #expect(
            await text(.save) { () throws(BackendError) in
                try await reader.send(CreateArticleRequest(article: draft))
            } == "Your account does not allow this. Sign in with another account, or ask an editor."
        )
        let article = try #require(try await reader.send(FetchArticlesRequest()).items.first).id
        func comment(_ body: String, by backend: BackendService) async -> String? {
            await text(.comment) { () throws(BackendError) in
                try await backend.send(
                    CreateCommentRequest(articleID: article, comment: .init(body: body)))
            }
        }
        #expect(
            await comment(" ", by: reader) == "The comment is missing. Fill it in and try again.")
        #expect(await comment("Thanks", by: reader) == nil)
        #expect(
            await comment("Thanks", by: reader)
                == "You have just posted the same comment. Write something else.")
        #expect(
            await comment("Thanks", by: backend()) == "You need to sign in. Sign in and try again.")
    }

    @Test func `what is wrong with an article`() async throws {
        let editor = backend(RunningServer.adminKey)
        let long = Article.Draft(title: String(repeating: "x", count: 301))
        #expect(
            await text(.save) { () throws(BackendError) in
                try await editor.send(CreateArticleRequest(article: long))
            } == "The title is longer than 300 characters. Shorten it and try again.")
        #expect(
            await text(.load) { () throws(BackendError) in
                _ = try await editor.send(FetchArticleRequest(key: .slug("gone")))
            } == "This is no longer there. Go back and reload.")
        let article = try await editor.send(
            CreateArticleRequest(article: Article.Draft(slug: "one", title: "One")))
        #expect(
            await text(.save) { () throws(BackendError) in
                try await editor.send(
                    CreateArticleRequest(article: Article.Draft(slug: "one", title: "Two")))
            } == "Another article has this address. Choose another address.")
        var changed = article
        changed.title = "Three"
        let update = UpdateArticleRequest(article, changes: .init(from: article, to: changed))
        try await editor.send(update)
        #expect(
            await text(.save) { () throws(BackendError) in try await editor.send(update) }
                == "Someone else has changed this. Reload it and repeat your change.")
        #expect(
            await text(.load) { () throws(BackendError) in
                _ = try await editor.send(FetchArticlesRequest(limit: 1_000))
            } == "The app and the server do not fit together. Update the app and try again.")
    }
}
