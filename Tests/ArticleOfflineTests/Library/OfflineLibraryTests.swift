import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// The parts of a library together, with a real backend.
@Suite struct OfflineLibraryTests {
    private func library(
        _ room: TwoEditorBackend, _ network: TestNetwork = TestNetwork(),
        mirroring filter: FetchChangesRequest = FetchChangesRequest()
    ) throws -> OfflineLibrary {
        let auth = try BackendAuth(
            store: MemoryCredentialStore(room.credentials(of: "ada")), refresh: nil)
        let backend = BackendService(
            configuration: room.configuration, transport: network, auth: auth,
            environment: room.clock.environment)
        return try OfflineLibrary(
            .memory(of: "ada"), on: backend, mirroring: filter,
            environment: room.clock.environment)
    }

    @Test func `it fills itself with texts and sends what is written`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let library = try library(room)
            let running = Task { try await library.run() }
            for await known in library.store.article(bread.id) where known != nil { break }
            let known = try #require(try await library.store.loadArticle(bread.id))
            #expect(known.article.body == "Knead.")
            let id = try await library.outbox.create(Article.Draft(title: "Cake"))
            for await state in library.outbox.states where state.entries.isEmpty { break }
            #expect(try await room.current(id)?.title == "Cake")
            running.cancel()
            await #expect(throws: OfflineError.backend(.cancelled)) {
                try await running.value
            }
            #expect(await library.outbox.state.pause == .notRunning)
        }
    }

    @Test func `a refresh sends what can be sent, catches up and returns`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let names = AttributeSet<Article>.all.subtracting(["body", "bodyHTML"]).names
            let short = FetchChangesRequest(fields: FieldSelection(names))
            let library = try library(room, mirroring: short)
            let id = try await library.outbox.create(Article.Draft(title: "Cake"))
            try await library.outbox.update(bread, .init(title: .set("Rye bread")))
            #expect(try await library.refresh())
            #expect(await library.outbox.state.entries.isEmpty)
            #expect(await library.outbox.state.pause == .notRunning)
            #expect(try await room.current(id)?.title == "Cake")
            let known = try #require(try await library.store.loadArticle(bread.id))
            #expect(known.article.title == "Rye bread")
            // The filter leaves texts out.
            let pie = try await room.article("Pie")
            #expect(try await library.refresh())
            #expect(try await library.store.loadArticle(pie.id)?.known.contains("body") == false)
        }
    }

    @Test func `a refresh without a network leaves everything for later`() async throws {
        try await TwoEditorBackend.run { room in
            let library = try library(room, TestNetwork { _ in .offline })
            try await library.outbox.create(Article.Draft(title: "Cake"))
            room.clock.hurry()
            let error = await #expect(throws: OfflineError.self) {
                try await library.refresh()
            }
            guard case .backend(let reason)? = error else { return }
            #expect(reason.allowsStale)
            #expect(await library.outbox.state.waiting.count == 1)
        }
    }
}
