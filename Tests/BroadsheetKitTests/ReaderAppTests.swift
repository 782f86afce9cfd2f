import BroadsheetKit
import BroadsheetTestSupport
import BroadsheetTesting
import Foundation
import Testing

@testable import ReaderAppModels

/// The way of a user through the models of the app in SwiftUI.
@MainActor @Suite struct ReaderAppTests {
    private static let rye = "Rye bread for beginners"

    /// Follows as the views do, while the work runs.
    private func following(
        _ follow: [@MainActor () async -> Void], work: () async throws -> Void
    ) async throws {
        let tasks = follow.map { follow in Task { await follow() } }
        defer { for task in tasks { task.cancel() } }
        try await work()
    }

    private func library(_ app: AppModel) async throws -> LibraryModel {
        #expect(await eventually { app.library != nil })
        return try #require(app.library)
    }

    private func article(_ title: String, on backend: BackendService) async throws -> Article {
        let listed = try await backend.send(FetchArticlesRequest(limit: 100)).items
        let id = try #require(listed.first { $0.title == title }).id
        return try await backend.send(FetchArticleRequest(key: .id(id)))
    }

    /// The backend of the launch argument `-samples`.
    private var samples: BackendService {
        appBackend(
            at: "http://localhost:8080", auth: BackendAuth(), arguments: ["app", "-samples"])
    }

    @Test func `a list comes page by page, and an article with its text`() async throws {
        let articles = (1...30).map { number in
            Article.sample(
                id: .sample(number), title: "Article \(number)",
                createdAt: .sample(hours: number))
        }
        let app = AppModel(.inMemory(.init(articles: articles)), keepingFilesIn: nil)
        try await following([app.follow]) {
            let library = try await library(app)
            #expect(library.account == nil)
            let list = ArticleListModel(library)
            await list.refresh()
            try await following([list.follow]) {
                #expect(await eventually { list.articles.count == 20 })
                #expect(list.articles.first?.article.title == "Article 30")
                await list.didAppear(list.articles[3])
                #expect(list.query.limit == 20)
                await list.didAppear(list.articles[17])
                #expect(list.query.limit == 40 && list.problem == nil)
            }
            try await following([list.follow]) {
                #expect(await eventually { list.articles.count == 30 })
            }
            let article = ArticleModel(list.articles[0].id, in: library)
            try await following([article.follow]) {
                #expect(await eventually { article.cached != nil })
                #expect(article.body == nil)
                await article.load()
                #expect(await eventually { article.body?.hasPrefix("Rye needs") == true })
                await article.toggleBookmark()
                #expect(article.problem?.retry == .afterSignIn)
            }
        }
    }

    @Test func `an error is beside the rows that the device has`() async throws {
        let isDown = Signal()
        let backend = BackendService.stub { routes in
            routes.on(FetchArticlesRequest.self) { _ in
                if isDown.isGiven { throw BackendError.offline("no network") }
                return Page(items: [Article.sample()])
            }
        }
        let library = LibraryModel(try OfflineLibrary(.memory, on: backend))
        let list = ArticleListModel(library)
        await list.refresh()
        isDown.give()
        try await following([list.follow]) {
            #expect(await eventually { list.articles.count == 1 })
            await list.refresh()
            #expect(list.articles.count == 1 && list.problem?.retry == .online)
        }
        #expect(!library.isOffline)
        library.conditions = .offline
        #expect(library.isOffline)
    }

    @Test func `a search marks what it has found, and is proposed again`() async throws {
        let app = AppModel(samples, keepingFilesIn: nil)
        try await following([app.follow]) {
            let search = SearchModel(try await library(app), pause: .zero)
            try await following([search.follow]) {
                search.text = "lightho"
                await search.search()
                let title = try #require(search.found.items.first).title
                #expect(title.filter(\.isMatch).map(\.text) == ["lighthouse"])
                #expect(!search.isOffline && search.problem == nil)
                await search.submit()
                #expect(await eventually { search.recent == ["lightho"] })
                search.text = " "
                await search.search()
                #expect(search.found.items.isEmpty)
                await search.forgetRecent()
                #expect(await eventually { search.recent.isEmpty })
            }
        }
    }

    @Test func `comments and bookmarks wait for the network, and are then sent`() async throws {
        let backend = samples
        let rye = try await article(Self.rye, on: backend)
        let app = AppModel(backend, keepingFilesIn: nil)
        try await following([app.follow]) {
            let library = try await library(app)
            let comments = CommentsModel(on: rye.id, in: library)
            let article = ArticleModel(rye.id, in: library)
            await comments.refresh()
            try await following([comments.follow, article.follow]) {
                #expect(await eventually { comments.comments.count == 3 })
                #expect(comments.comments[1].comment.parentID == comments.comments[0].id)
                comments.text = "With caraway."
                comments.parent = comments.comments[1].comment
                await comments.send()
                await article.toggleBookmark()
                #expect(comments.text.isEmpty && comments.writingProblem == nil)
                #expect(await eventually { comments.comments.count == 4 })
                let unsent = try #require(comments.comments.first { $0.pending != nil })
                #expect(unsent.comment.parentID == comments.comments[0].id)
                // The library runs from here on: the device has left its tunnel.
                try await following([library.follow]) {
                    #expect(await eventually { comments.comments.allSatisfy { $0.pending == nil } })
                    #expect(await eventually { library.writes.isEmpty && article.isBookmarked })
                    await article.toggleBookmark()
                    #expect(await eventually { library.writes.isEmpty && !article.isBookmarked })
                }
            }
            let sent = try await backend.send(FetchCommentsRequest(articleID: rye.id)).items
            #expect(sent.contains { $0.body == "With caraway." })
        }
    }

    @Test func `an article is written, edited and deleted, with undo`() async throws {
        let app = AppModel(samples, keepingFilesIn: nil)
        try await following([app.follow]) {
            let library = try await library(app)
            try await following([library.follow]) {
                let new = EditorModel(nil, in: library)
                #expect(!new.canSave)
                (new.title, new.body, new.tags) = ("Sourdough", "Wait.", "Baking, Bread,")
                new.isPublished = true
                new.undo()
                #expect(!new.isPublished && new.canRedo)
                new.redo()
                #expect(new.tags == "Baking, Bread," && new.draft.tags == ["Baking", "Bread"])
                #expect(await new.save())
                let list = ArticleListModel(library)
                try await following([list.follow]) {
                    #expect(await eventually { list.articles.first?.article.title == "Sourdough" })
                    #expect(await eventually { library.writes.isEmpty })
                    let model = ArticleModel(list.articles[0].id, in: library)
                    try await following([model.follow]) {
                        #expect(await eventually { model.body == "Wait." })
                        let editor = EditorModel(model.article, in: library)
                        #expect(!editor.canSave)
                        editor.title = "Sourdough in a day"
                        editor.undo()
                        #expect(editor.title == "Sourdough" && !editor.canSave)
                        editor.redo()
                        #expect(await editor.save())
                        #expect(
                            await eventually { model.article?.title == "Sourdough in a day" })
                        #expect(await model.delete())
                        #expect(await eventually { model.cached == nil })
                    }
                }
            }
        }
    }

    @Test func `edits that meet somebody else's are decided one by one`() async throws {
        let backend = samples
        let rye = try await article(Self.rye, on: backend)
        let app = AppModel(backend, keepingFilesIn: nil)
        try await following([app.follow]) {
            let library = try await library(app)
            let editor = EditorModel(rye, in: library)
            (editor.title, editor.summary) = ("Mine", "Mine, too.")
            #expect(await editor.save())
            try await backend.otherDevice(signedInAs: .sample(id: .sample(2), name: "leo")).send(
                UpdateArticleRequest(
                    rye, changes: .init(title: .set("Theirs"), summary: .set("Theirs, too."))))
            try await following([library.follow]) {
                #expect(await eventually { library.decisionCount == 1 })
                let decision = DecisionModel(try #require(library.writes.first), in: library)
                #expect(decision.isConflict && decision.overlaps.count == 2)
                let texts = decision.texts(of: .attribute("title"))
                #expect(texts.mine == "Mine" && texts.theirs == "Theirs")
                decision[choice: .attribute("title")] = .theirs
                await decision.keepChosen()
                #expect(decision.problem == nil)
                #expect(await eventually { library.writes.isEmpty })
            }
            let merged = try await article("Theirs", on: backend)
            #expect(merged.summary == "Mine, too.")
        }
    }

    @Test func `users sign in and out, and delete their accounts`() async throws {
        let folder = try TemporaryFolder()
        let app = AppModel(.inMemory(.samples), keepingFilesIn: folder.path)
        let account = AccountModel(app)
        try await following([app.follow]) {
            #expect(try await library(app).account == nil)
            (account.name, account.password) = ("ada", "a long password")
            #expect(await account.signUp())
            #expect(account.password.isEmpty)
            #expect(await eventually { app.library?.account != nil })
            await account.load()
            #expect(account.user?.name == "ada")
            await account.signOut()
            #expect(await eventually { app.library?.account == nil })
            account.password = "wrong"
            #expect(await !account.signIn())
            #expect(account.problem?.title == "Could not sign in")
            account.password = "a long password"
            #expect(await account.signIn())
            #expect(await eventually { app.library?.account != nil })
            account.removesFiles = true
            let path = try #require(app.library?.offline.store.place.path)
            await account.signOut()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `an account that was deleted leaves nothing on the device`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(DeleteMeRequest.self) { request in
                if request.current != "right" { throw Problem(.forbidden) }
                return NoContent()
            }
        }
        try backend.auth.signIn(Credentials(token: "token", account: "ada"))
        let folder = try TemporaryFolder()
        let app = AppModel(backend, keepingFilesIn: folder.path)
        let account = AccountModel(app)
        try await following([app.follow]) {
            let path = try #require(try await library(app).offline.store.place.path)
            account.password = "wrong"
            #expect(await !account.delete())
            #expect(account.problem != nil && FileManager.default.fileExists(atPath: path))
            account.password = "right"
            #expect(await account.delete())
            #expect(await eventually { app.library?.account == nil })
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
