import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// A model of an app's own backend.
struct Note: JSONModel, Identifiable, Hashable {
    static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .integer(1...Int.max)),
        .required("revision", \.revision, .integer(1...Int.max)),
        .optional("text", \.text, .text(.lines(1...1_000))))

    var id: Int
    var revision: Int
    var text: String?
}

extension Note: StorableModel {
    static let storedForm = StoredForm("Note", shape)
}

/// A response with notes in it.
struct Notebook: JSONModel, Hashable {
    static let shape = ObjectCodec(
        Self.init, .required("name", \.name, .text(.line(1...100))),
        .required("notes", \.notes, [Note].format))

    var name: String
    var notes: [Note]
}

extension Notebook: ModelList {
    var models: [Note] {
        get { notes }
        set { notes = newValue }
    }
}

private struct FetchNotesRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/notes", access: .everyone)
    typealias Item = Notebook
    static let parameters = Parameters(Self.init)
}

private struct FetchNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/notes/{id}", access: .everyone)
    typealias Item = Note
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .integer(1...Int.max)))
    var id: Int
}

private struct DeleteNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(
        .delete, "/notes/{id}", access: .everyone, success: .noContent)
    typealias Item = NoContent
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .integer(1...Int.max)))
    var id: Int
}

extension FetchNotesRequest: CacheableRequest {}

extension FetchNoteRequest: ModelRequest {
    var modelID: Int { id }
}

extension DeleteNoteRequest: ModelRequest {
    typealias Model = Note
    var modelID: Int { id }
}

struct ISBN: LosslessStringConvertible, StorableID {
    let description: String
    init(_ description: String) { self.description = description }
}

@Suite struct CachedModelExamples {
    private let offline = RequestOptions(freshness: .cached)

    @Test func `a model of its own is remembered`() {
        let time = ServedExampleBackend.time
        var facts = ModelFacts(
            Note(id: 7, revision: 1, text: "Knead."), knowing: .all, seenAt: time)
        let listed = Note(id: 7, revision: 2, text: nil)
        let changed = facts.merge(
            ModelFacts(listed, knowing: AttributeSet(["id", "revision"]), seenAt: time))
        #expect(changed.names == ["revision"] && facts.model()?.text == "Knead.")
    }

    @Test func `requests of its own have responses offline`() async throws {
        let store = try ModelStore(.memory)
        let stub = BackendService.stub { routes in
            routes.on(FetchNotesRequest.self) { _ in
                let notes = (7...8).map { Note(id: $0, revision: 1, text: "Text \($0)") }
                return Notebook(name: "Bread", notes: notes)
            }
            routes.on(DeleteNoteRequest.self) { _ in NoContent() }
        }
        let backend = BackendService(stub, memory: store)
        let notebook = try await backend.send(FetchNotesRequest())
        let note = try await store.load(Note.self, 7)
        let newest = try await store.loadAll(Note.self, limit: 20)
        #expect(note == notebook.notes[0] && newest.count == 2)
        try await backend.send(DeleteNoteRequest(id: 8))
        let known = try await backend.send(FetchNotesRequest(), options: offline)
        #expect(known.name == "Bread" && known.notes == [notebook.notes[0]])
        let same = try await backend.send(FetchNoteRequest(id: 7), options: offline)
        #expect(same == note)
    }

    @Test func `an id of its own`() {
        let bytes = ISBN("978-0").storedBytes
        #expect(ISBN(storedBytes: bytes) == ISBN("978-0"))
    }

    @Test func `values`() async throws {
        let store = try ModelStore(.memory)
        let tag = ArticleTag(named: "Baking")
        try await store.setValue([tag], forKey: "followed")
        let followed = try await store.loadValue([ArticleTag].self, forKey: "followed") ?? []
        #expect(followed == [tag])
    }

    @Test func `partial articles`() async throws {
        let store = try ModelStore(.memory)
        let stub = BackendService.stub { routes in
            routes.on(FetchArticlesRequest.self) { _ in
                Page(items: [ServedExampleBackend.article])
            }
        }
        let feed = PartialRequest(FetchArticlesRequest(), fields: ["title", "revision"])
        try await BackendService(stub, memory: store).send(feed)
        let rows = try await store.loadPartialArticles(of: feed).compactMap(\.article.title)
        #expect(rows == ["Bread"])
    }

    @Test @MainActor func `anything that a store reports`() async throws {
        let store = try ModelStore(.memory)
        let time = ServedExampleBackend.time
        try await store.merge([
            .facts(
                ModelFacts(Note(id: 7, revision: 1, text: "Knead."), knowing: .all, seenAt: time))
        ])
        let notes = Observed(store.models(Note.self))
        var texts: [String] { notes.value?.compactMap(\.text) ?? [] }
        while texts.isEmpty { await Task.yield() }
        #expect(texts == ["Knead."])
    }
}
