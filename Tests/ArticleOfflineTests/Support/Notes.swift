import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport

/// A model of an app's own, with a number as its id, of which lists leave out the text.
struct Note: JSONModel, Identifiable, Hashable {
    static let shape = ObjectCodec(
        Self.init,
        .required("id", \.id, .integer(1...Int.max)),
        .required("revision", \.revision, .integer(1...Int.max)),
        .required("title", \.title, .text(.lines(1...1_000))),
        .optional("text", \.text, .text(.lines(1...100_000))))

    var id: Int
    var revision: Int
    var title: String
    var text: String?

    init(id: Int, revision: Int = 1, title: String? = nil, text: String? = nil) {
        self.id = id
        self.revision = revision
        self.title = title ?? "Note \(id).\(revision)"
        self.text = text
    }
}

extension Note: StorableModel {
    static let storedForm = StoredForm("Note", shape, omittedInLists: ["text"])
}

struct FetchNotesRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/notes", access: .everyone)
    typealias Item = Page<Note>
    static let parameters = Parameters(
        Self.init(cursor:), .query("cursor", \.cursor, .line(1...100)))

    var cursor: String?

    init(cursor: String? = nil) { self.cursor = cursor }
}

struct FetchNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/notes/{id}", access: .everyone)
    typealias Item = Note
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .integer(1...Int.max)))

    var id: Int
}

/// The note of the day, whose id a client does not know.
struct FetchTodaysNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.get, "/today", access: .everyone)
    typealias Item = Note
    static let parameters = Parameters(Self.init)
}

struct PutNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(.put, "/notes/{id}", access: .everyone)
    typealias Item = Note
    static let parameters = Parameters(
        Self.init, .path("id", \.id, .integer(1...Int.max)), .body(\.note))

    var id: Int
    var note: Note
}

struct DeleteNoteRequest: BackendAPIRequest {
    static let endpoint = Endpoint(
        .delete, "/notes/{id}", access: .everyone, success: .noContent)
    typealias Item = NoContent
    static let parameters = Parameters(Self.init(id:), .path("id", \.id, .integer(1...Int.max)))

    var id: Int
}

extension FetchNotesRequest: CacheableRequest {}
extension FetchTodaysNoteRequest: CacheableRequest {}

extension FetchNoteRequest: ModelRequest {
    var modelID: Int { id }
}

extension PutNoteRequest: ModelRequest {
    var modelID: Int { id }
}

extension DeleteNoteRequest: ModelRequest {
    typealias Model = Note
    var modelID: Int { id }
}

/// An app's own backend with notes, in this process.
final class NoteBackend: Sendable {
    let notes = Lock<[Int: Note]>([:])
    let isOffline = Lock(false)

    func put(_ notes: Note...) {
        self.notes.withLock { known in
            for note in notes { known[note.id] = note }
        }
    }

    /// A service with the store as its memory.
    func service(_ store: ModelStore) -> BackendService {
        let stub = BackendService.stub { routes in
            routes.on(FetchNotesRequest.self) { [self] _ in
                try check()
                let notes = notes.withLock { $0.values.sorted { $0.id > $1.id } }
                return Page(
                    items: notes.map {
                        Note(id: $0.id, revision: $0.revision, title: $0.title)
                    }, next: "later", count: PageCount(value: notes.count, isExact: true))
            }
            routes.on(FetchNoteRequest.self) { [self] request in
                try check()
                return try note(request.id)
            }
            routes.on(FetchTodaysNoteRequest.self) { [self] _ in
                try check()
                return try note(notes.withLock { $0.keys.max() } ?? 0)
            }
            routes.on(PutNoteRequest.self) { [self] request in
                try check()
                put(request.note)
                return request.note
            }
            routes.on(DeleteNoteRequest.self) { [self] request in
                try check()
                _ = try note(request.id)
                notes.withLock { $0[request.id] = nil }
                return NoContent()
            }
        }
        return BackendService(stub, memory: store)
    }

    private func check() throws {
        if isOffline.withLock({ $0 }) { throw BackendError.offline("no network") }
    }

    private func note(_ id: Int) throws -> Note {
        if let found = notes.withLock({ $0[id] }) { return found }
        throw Problem(.notFound)
    }
}
