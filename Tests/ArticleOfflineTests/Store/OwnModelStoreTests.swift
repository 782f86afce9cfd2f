import ArticleAPI
import BroadsheetSQLite
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// A model without a revision, whose ids are texts.
private struct Reading: JSONModel, Identifiable, Hashable {
    static let shape = ObjectCodec(
        Self.init, .required("id", \.id, .text(.line(1...100))),
        .required("value", \.value, .integer(0...Int.max)))

    var id: String
    var value: Int
}

extension Reading: StorableModel {
    static let storedForm = StoredForm("Reading", shape)
}

/// Models of an app's own in a store: merging, eviction, and several handles on one file.
@Suite struct OwnModelStoreTests {
    private static func update(_ note: Note, at seconds: Int) -> ModelUpdate {
        .facts(
            ModelFacts(
                note, knowing: note.text == nil ? .inLists : .all,
                seenAt: Samples.time(seconds)))
    }

    /// Random responses of a server whose notes two users edit.
    private static func schedule(_ random: inout SplitMix64) -> [ModelUpdate] {
        var updates: [ModelUpdate] = []
        for _ in 0..<Int.random(in: 4...30, using: &random) {
            let id = Int.random(in: 1...4, using: &random)
            let revision = Int.random(in: 1...5, using: &random)
            // A later request does not see an earlier revision.
            let seconds = 10 * revision + Int.random(in: 0...9, using: &random)
            var note = Note(id: id, revision: revision)
            switch Int.random(in: 0...5, using: &random) {
            case 0: updates.append(.removed(Note.self, id, .gone(revision: revision)))
            case 1:
                let time = Samples.time(seconds)
                updates.append(.removed(Note.self, id, .notFound(seenAt: time)))
            case 2:
                // One that is not the newest of its time changes nothing.
                let reading = Reading(id: "room \(id)", value: seconds)
                let facts = ModelFacts(reading, knowing: .all, seenAt: Samples.time(seconds))
                updates.append(.facts(facts))
            case 3:
                updates += ModelUpdate.response(
                    to: FetchNotesRequest(), type: "Note",
                    ids: [id, revision].map(\.storedBytes), rest: [],
                    seenAt: Samples.time(seconds))
            default:
                if Bool.random(using: &random) { note.text = "Text \(id).\(revision)" }
                updates.append(update(note, at: seconds))
            }
        }
        return updates
    }

    private struct State: Equatable {
        var notes: [ModelFacts<Note>?] = []
        var readings: [Reading?] = []
        var response: StoredResponse?

        init(of store: ModelStore) async throws {
            for id in 1...4 {
                notes.append(try await store.loadFacts(Note.self, id))
                readings.append(try await store.load(Reading.self, "room \(id)"))
            }
            response = try await store.response(to: FetchNotesRequest(), named: "Note")
        }
    }

    @Test(arguments: UInt64(1)...30)
    func `the order and the repetition of responses do not matter`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let updates = Self.schedule(&random)
        let first = try ModelStore(.memory)
        for update in updates { try await first.merge([update]) }
        let expected = try await State(of: first)
        // In another order, with repetitions, in groups, and with restarts between them.
        var again = (updates + updates).shuffled(using: &random)
        let folder = try StoreFolder()
        var store = try folder.open()
        while !again.isEmpty {
            let count = Int.random(in: 1...min(5, again.count), using: &random)
            try await store.merge(Array(again.prefix(count)))
            again.removeFirst(count)
            if Int.random(in: 0...3, using: &random) == 0 { store = try folder.open() }
        }
        #expect(try await State(of: store) == expected)
        store = try folder.open()
        #expect(try await State(of: store) == expected)
        #expect(folder.events.isEmpty)
    }

    @Test func `two handles see each other's models, and observers what another has written`()
        async throws
    {
        let folder = try StoreFolder()
        let (one, two) = (try folder.open(), try folder.open())
        var seen = one.model(Note.self, 1).makeAsyncIterator()
        #expect(await seen.next() == .some(.none))
        try await two.merge([Self.update(Note(id: 1, text: "Knead."), at: 1)])
        try await one.refresh()
        #expect(await seen.next()??.text == "Knead.")
        // Neither overwrites what the other one has merged.
        try await one.merge([Self.update(Note(id: 1, revision: 2), at: 2)])
        let note = try await two.load(Note.self, 1)
        #expect(note?.revision == 2 && note?.text == "Knead.")
        try await two.merge([.removed(Note.self, 1, .gone(revision: 3))])
        #expect(try await one.load(Note.self, 1) == nil)
    }

    @Test func `the oldest models are removed, whatever their types`() async throws {
        let store = try ModelStore(.memory, limits: ModelStore.Limits(bytes: 30_000))
        let text = String(repeating: "a", count: 2_000)
        try await store.merge([Samples.whole(1, seenAt: 0)])
        try await store.pin(Samples.id(1))
        var last = store.models(Note.self).makeAsyncIterator()
        #expect(await last.next() == [])
        for id in 1...40 {
            try await store.merge([Self.update(Note(id: id, text: text), at: id)])
        }
        let notes = try await store.loadAll(Note.self).map(\.id)
        #expect(notes.count < 14 && notes.first == 40 && notes == notes.sorted(by: >))
        #expect(try await store.size() <= 30_000)
        #expect(await last.next()?.map(\.id) == notes)
        #expect(try await store.loadArticle(Samples.id(1)) != nil)
    }

    @Test func `an app without a type leaves its models alone, and can evict them`() async throws {
        let folder = try StoreFolder()
        do {
            let store = try folder.open()
            for id in 1...20 {
                let text = String(repeating: "a", count: 1_000)
                try await store.merge([Self.update(Note(id: id, text: text), at: id)])
            }
        }
        // This one has no notes.
        let other = try folder.open(limits: ModelStore.Limits(bytes: 15_000))
        try await other.merge([Samples.listed(1, seenAt: 100)])
        #expect(try await other.size() <= 15_000)
        let left = try await folder.open().loadAll(Note.self).map(\.id)
        #expect(left.first == 20 && (1..<20).contains(left.count))
    }

    @Test func `attributes that the app no longer has, or not yet, are unknown`() async throws {
        let folder = try StoreFolder()
        try await folder.open().merge([Self.update(Note(id: 1, text: "Knead."), at: 1)])
        try RawDatabase(folder.path).execute(
            "UPDATE shapes SET names = 'id,revision,title,words'")
        let store = try folder.open()
        let facts = try #require(try await store.loadFacts(Note.self, 1))
        #expect(facts.attributes.names == ["id", "revision", "title"])
        #expect(try await store.load(Note.self, 1)?.text == nil)
    }

    @Test func `ids of all forms are those that were stored`() throws {
        func returns(_ id: some StorableID) -> Bool {
            type(of: id).init(storedBytes: id.storedBytes) == id
        }
        #expect(
            returns(Int.min) && returns(7) && returns("") && returns("a/é") && returns(Int64.max))
        #expect(returns(Samples.id(3) as Article.ID))
        #expect(Int(storedBytes: [0x41]) == nil && Article.ID(storedBytes: [1, 2]) == nil)
    }
}
