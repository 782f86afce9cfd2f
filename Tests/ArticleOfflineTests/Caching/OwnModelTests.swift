import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// The history of an article, whose revisions have no ids of their own.
private struct FetchHistoryRequest: BackendAPIRequest {
    static let endpoint = FetchRevisionsRequest.endpoint
    typealias Item = Page<Revision>
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .identifier()))

    var id: Article.ID
}

extension FetchHistoryRequest: CacheableRequest {}

/// Models and requests of an app's own, without a network and after a relaunch.
@Suite struct OwnModelTests {
    private let backend = NoteBackend()
    private let folder: StoreFolder
    private let offline = RequestOptions(freshness: .cached)

    init() throws { folder = try StoreFolder() }

    @Test func `a list and its models are there after a relaunch`() async throws {
        backend.put(Note(id: 1), Note(id: 2, text: "Knead."), Note(id: 3))
        do {
            let online = backend.service(try folder.open())
            let page = try await online.send(FetchNotesRequest())
            #expect(page.items.map(\.id) == [3, 2, 1])
            #expect(try await online.send(FetchNoteRequest(id: 2)).text == "Knead.")
        }
        backend.isOffline.withLock { $0 = true }
        let store = try folder.open()
        let service = backend.service(store)
        let reply = try await service.reply(to: FetchNotesRequest(), options: offline)
        #expect(reply.source == .cached && reply.item.items.map(\.id) == [3, 2, 1])
        // What came with the models, and what became known of them elsewhere.
        #expect(reply.item.next == "later" && reply.item.count?.value == 3)
        #expect(reply.item.items[1].text == "Knead.")
        #expect(try await service.send(FetchNoteRequest(id: 2), options: offline).text == "Knead.")
        // One that came in the list only.
        #expect(try await service.send(FetchNoteRequest(id: 3), options: offline).id == 3)
        let fallback = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        #expect(try await service.send(FetchNotesRequest(), options: fallback).items.count == 3)
        await #expect(throws: BackendError.notCached) {
            try await service.send(FetchNotesRequest(cursor: "later"), options: offline)
        }
        #expect(try await store.loadAll(Note.self).map(\.id).sorted() == [1, 2, 3])
        #expect(folder.events.isEmpty)
    }

    @Test func `a list has what its models have become`() async throws {
        backend.put(Note(id: 1), Note(id: 2))
        let service = backend.service(try folder.open())
        try await service.send(FetchNotesRequest())
        let changed = Note(id: 1, revision: 2, title: "Rye")
        try await service.send(PutNoteRequest(id: 1, note: changed))
        try await service.send(DeleteNoteRequest(id: 2))
        let page = try await service.send(FetchNotesRequest(), options: offline)
        #expect(page.items == [changed])
        // A write is not carried out by what is known.
        backend.isOffline.withLock { $0 = true }
        await #expect(throws: BackendError.self) {
            try await service.send(PutNoteRequest(id: 1, note: changed), options: offline)
        }
    }

    @Test func `what the backend does not find is removed`() async throws {
        backend.put(Note(id: 1), Note(id: 2))
        let store = try folder.open()
        let service = backend.service(store)
        try await service.send(FetchNotesRequest())
        backend.notes.withLock { $0[1] = nil }
        await #expect(throws: BackendError.self) { try await service.send(FetchNoteRequest(id: 1)) }
        #expect(try await store.loadAll(Note.self).map(\.id) == [2])
        let page = try await service.send(FetchNotesRequest(), options: offline)
        #expect(page.items.map(\.id) == [2])
    }

    @Test(arguments: [404, 410, 403, 500])
    func `a server without problems of the contract removes, too`(status: Int) async throws {
        let store = try folder.open()
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.problemTypes = nil
        configuration.retries = .none
        configuration.timeout = .seconds(Patience.seconds)
        let transport = InProcessTransport { _, _ in
            HTTPResponse(HTTPStatus(status) ?? .notFound)
        }
        let service = BackendService(
            BackendService(configuration: configuration, transport: transport), memory: store)
        try await store.merge([
            .facts(ModelFacts(Note(id: 1), knowing: .all, seenAt: Samples.time(0)))
        ])
        await #expect(throws: BackendError.self) { try await service.send(FetchNoteRequest(id: 1)) }
        let isKnown = try await store.load(Note.self, 1) != nil
        #expect(isKnown == ![404, 410].contains(status))
    }

    @Test func `a model whose id is not in the request is found and removed, too`() async throws {
        backend.put(Note(id: 5))
        let store = try folder.open()
        let service = backend.service(store)
        let note = try await service.send(FetchTodaysNoteRequest())
        #expect(try await service.send(FetchTodaysNoteRequest(), options: offline) == note)
        backend.notes.withLock { $0 = [:] }
        _ = try? await service.send(FetchTodaysNoteRequest())
        #expect(try await store.load(Note.self, 5) == nil)
        await #expect(throws: BackendError.notCached) {
            try await service.send(FetchTodaysNoteRequest(), options: offline)
        }
    }

    @Test func `each change is announced once`() async throws {
        let store = try folder.open()
        let service = backend.service(store)
        var notes = store.models(Note.self).makeAsyncIterator()
        var note = store.model(Note.self, 1).makeAsyncIterator()
        #expect(await notes.next() == [])
        #expect(await note.next() == .some(.none))
        backend.put(Note(id: 1))
        try await service.send(FetchNotesRequest())
        #expect(await notes.next()?.count == 1)
        #expect(await note.next()??.title == "Note 1.1")
        // The same again, and another model, do not change this one.
        try await service.send(FetchNotesRequest())
        backend.put(Note(id: 2))
        try await service.send(FetchNotesRequest())
        backend.put(Note(id: 1, revision: 2))
        try await service.send(FetchNotesRequest())
        #expect(await notes.next()?.map(\.title) == ["Note 2.1", "Note 1.2"])
        #expect(await note.next()??.title == "Note 1.2")
        try await service.send(DeleteNoteRequest(id: 1))
        #expect(await note.next() == .some(.none))
        #expect(await notes.next()?.map(\.id) == [2])
    }

    @Test func `known responses cost no write`() async throws {
        backend.put(Note(id: 1), Note(id: 2))
        let store = try folder.open()
        let service = backend.service(store)
        try await service.send(FetchNotesRequest())
        let watcher = try RawDatabase(folder.path)
        let before = try watcher.number("PRAGMA data_version")
        for _ in 1...3 { try await service.send(FetchNotesRequest()) }
        #expect(try watcher.number("PRAGMA data_version") == before)
    }

    @Test func `generated requests work offline`() async throws {
        let isOffline = Lock(false)
        let chores = Lock([7: Chore(id: 7, title: "Sweep"), 8: Chore(id: 8, title: "Mop")])
        func service(_ store: ModelStore) -> BackendService {
            let stub = BackendService.stub { routes in
                @Sendable func check() throws {
                    if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
                }
                routes.on(ListChoresRequest.self) { _ in
                    try check()
                    return chores.withLock { $0.values.sorted { $0.id < $1.id } }
                }
                routes.on(PutChoreRequest.self) { request in
                    try check()
                    chores.withLock { $0[request.choreID] = request.body }
                    return request.body
                }
                routes.on(DeleteChoreRequest.self) { request in
                    try check()
                    chores.withLock { $0[request.choreID] = nil }
                    return NoContent()
                }
                routes.on(GetSummaryRequest.self) { _ in
                    try check()
                    return Summary(open: chores.withLock(\.count))
                }
            }
            return BackendService(stub, memory: store)
        }
        do {
            let online = service(try folder.open())
            #expect(try await online.send(ListChoresRequest(room: "Hall")).count == 2)
            #expect(try await online.send(GetSummaryRequest()).open == 2)
            let done = Chore(id: 7, title: "Sweep", isDone: true)
            try await online.send(PutChoreRequest(choreID: 7, body: done))
            try await online.send(DeleteChoreRequest(choreID: 8))
        }
        isOffline.withLock { $0 = true }
        let again = service(try folder.open())
        let list = try await again.send(ListChoresRequest(room: "Hall"), options: offline)
        #expect(list.map(\.isDone) == [true])
        #expect(try await again.send(GetChoreRequest(choreID: 7), options: offline) == list[0])
        #expect(try await again.send(GetSummaryRequest(), options: offline).open == 2)
        await #expect(throws: BackendError.notCached) {
            try await again.send(ListChoresRequest(), options: offline)
        }
    }
}

/// Tags, the user, bookmarks and histories, without a network and after a relaunch.
@Suite struct AccountModelTests {
    @Test func `tags, the user, bookmarks and revisions are there offline`() async throws {
        let folder = try StoreFolder()
        let offline = RequestOptions(freshness: .cached)
        let user = User(id: Samples.id(3), displayName: "Ada", role: .editor, revision: 2)
        let usage = ArticleTag.Usage(tag: ArticleTag(named: "Baking"), articleCount: 4)
        let marks = [2, 1].map { number in
            Bookmark(
                articleID: Samples.id(number), createdAt: Samples.time(number),
                updatedAt: Samples.time(number))
        }
        let revision = Revision(
            number: 1, action: .created, title: "Bread", status: .draft,
            createdAt: Samples.time(1), actor: Revision.Actor(kind: .operator))
        let stub = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in Page(items: [usage]) }
            routes.on(FetchMeRequest.self) { _ in user }
            routes.on(FetchBookmarksRequest.self) { _ in Page(items: marks) }
            routes.on(DeleteBookmarkRequest.self) { _ in NoContent() }
            routes.on(FetchHistoryRequest.self) { _ in Page(items: [revision]) }
        }
        do {
            let online = BackendService(stub, memory: try folder.open())
            try await online.send(FetchTagsRequest())
            try await online.send(FetchMeRequest())
            try await online.send(FetchBookmarksRequest())
            try await online.send(FetchHistoryRequest(id: Samples.id(1)))
            try await online.send(DeleteBookmarkRequest(articleID: Samples.id(1)))
        }
        let service = BackendService(BackendService.stub { _ in }, memory: try folder.open())
        #expect(try await service.send(FetchTagsRequest(), options: offline).items == [usage])
        #expect(try await service.send(FetchMeRequest(), options: offline) == user)
        #expect(
            try await service.send(FetchUserRequest(id: user.id), options: offline) == user)
        let bookmarks = try await service.send(FetchBookmarksRequest(), options: offline)
        #expect(bookmarks.items == [marks[0]])
        let history = FetchHistoryRequest(id: Samples.id(1))
        #expect(try await service.send(history, options: offline).items == [revision])
        // That of another article is not known.
        await #expect(throws: BackendError.notCached) {
            try await service.send(FetchHistoryRequest(id: Samples.id(2)), options: offline)
        }
        #expect(folder.events.isEmpty)
    }

    @Test func `bookmarks follow the changes of the backend`() async throws {
        let store = try ModelStore(.memory)
        _ = try await store.beginMirror("all", filter: "")
        let mark = Bookmark(
            articleID: Samples.id(1), createdAt: Samples.time(1), updatedAt: Samples.time(1))
        func apply(_ change: SyncChange<Article>, _ next: String) async throws {
            let page = MirrorPage(
                ChangePage(changes: [change], next: next, more: false), knowing: .inLists,
                isFiltered: false, seenAt: Samples.time(2))
            #expect(try await store.apply(page, to: "all"))
        }
        try await apply(.putBookmark(mark), "a")
        #expect(try await store.load(Bookmark.self, mark.id) == mark)
        try await apply(.deleteBookmark(mark.id, revision: 2), "b")
        #expect(try await store.load(Bookmark.self, mark.id) == nil)
        #expect(try await store.mirror("all")?.members == 0)
    }
}
