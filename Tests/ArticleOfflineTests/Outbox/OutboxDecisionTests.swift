import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// Edits of articles that somebody else has edited at a real backend.
@Suite struct OutboxDecisionTests {
    @Test func `edits of different attributes are merged`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.see(bread)
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            try await room.edit(bread.id, .init(summary: .set("Rye")))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            let merged = try #require(try await room.current(bread.id))
            #expect(merged.title == "Loaf" && merged.summary == "Rye" && merged.revision == 3)
            #expect(try await device.shown(bread.id)?.article == merged)
            #expect(Set(device.network.writes.map(\.key)).count == 2)
        }
    }

    @Test func `the same edit by somebody else needs no write`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            try await room.edit(bread.id, .init(title: .set("Loaf")))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.editors(of: bread.id) == ["somebody else", "somebody else"])
        }
    }

    /// A device whose edit of the title is in conflict.
    private func conflict(
        _ room: TwoEditorBackend, _ bread: Article
    ) async throws -> (Device, OutboxEntry, theirs: Article) {
        let device = try Device(room)
        try await device.see(bread)
        try await device.outbox.update(bread, .init(title: .set("My loaf")))
        try await room.edit(bread.id, .init(title: .set("Their loaf"), summary: .set("Rye")))
        device.start()
        let state = try await device.wait("a conflict") { !$0.conflicts.isEmpty }
        let entry = try #require(state.conflicts.first)
        guard case .conflict(let theirs?) = entry.status else {
            throw TestFailure("the conflict has no other side")
        }
        return (device, entry, theirs)
    }

    @Test(arguments: ["My loaf", "Their loaf", "Our loaf"])
    func `edits of the same attribute wait for a decision`(title: String) async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let (device, entry, theirs) = try await conflict(room, bread)
            #expect(entry.base == bread && theirs.title == "Their loaf")
            #expect(entry.write == .update(.init(title: .set("My loaf"))))
            let shown = try #require(try await device.shown(bread.id))
            #expect(shown.article.title == "My loaf" && shown.article.summary == "Rye")
            #expect(shown.pending == entry.status)
            switch title {
            case "My loaf": try await device.outbox.resolve(entry.number, .keepMine)
            case "Their loaf": try await device.outbox.resolve(entry.number, .keepTheirs)
            default:
                var merged = theirs
                merged.title = title
                try await device.outbox.resolve(entry.number, .merged(merged))
            }
            try await device.waitUntilEmpty()
            let sent = try #require(try await room.current(bread.id))
            #expect(sent.title == title && sent.summary == "Rye")
            #expect(sent.revision == (title == "Their loaf" ? 2 : 3))
            #expect(try await device.shown(bread.id)?.article == sent)
            await #expect(throws: OfflineError.noSuchWrite) {
                try await device.outbox.resolve(entry.number, .keepMine)
            }
            await device.stop()
        }
    }

    @Test func `a decision that comes too late is another conflict`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let (device, entry, _) = try await conflict(room, bread)
            try await room.edit(bread.id, .init(title: .set("Their rye loaf")))
            try await device.outbox.resolve(entry.number, .keepMine)
            try await device.wait("the newer title") { state in
                guard case .conflict(let theirs)? = state.conflicts.first?.status else {
                    return false
                }
                return theirs?.title == "Their rye loaf"
            }
            #expect(try await room.current(bread.id)?.title == "Their rye loaf")
            await device.stop()
        }
    }

    @Test(arguments: [true, false])
    func `a deletion does not remove an edit without a decision`(isKept: Bool) async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.outbox.delete(bread)
            try await room.edit(bread.id, .init(title: .set("Loaf")))
            device.start()
            let state = try await device.wait("a conflict") { !$0.conflicts.isEmpty }
            #expect(try await room.current(bread.id)?.title == "Loaf")
            try await device.outbox.resolve(
                state.conflicts[0].number, isKept ? .keepTheirs : .keepMine)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect((try await room.current(bread.id) != nil) == isKept)
            #expect((try await device.shown(bread.id) != nil) == isKept)
        }
    }

    @Test func `an edit of a deleted article is kept, and can become a new one`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.see(bread)
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            try await room.editor.send(DeleteArticleRequest(id: bread.id))
            device.start()
            let state = try await device.wait("a conflict") { !$0.conflicts.isEmpty }
            #expect(state.conflicts[0].status == .conflict(theirs: nil))
            #expect(try await device.shown(bread.id)?.article.title == "Loaf")
            try await device.outbox.resolve(state.conflicts[0].number, .keepMine)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await device.shown(bread.id) == nil)
            let new = try #require(try await device.store.loadArticles().first)
            let sent = try #require(try await room.current(new.id))
            #expect(sent.title == "Loaf" && sent.body == "Knead." && sent.id != bread.id)
        }
    }

    @Test func `both sides may delete an article`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.outbox.delete(bread)
            try await room.editor.send(DeleteArticleRequest(id: bread.id))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
        }
    }
}
