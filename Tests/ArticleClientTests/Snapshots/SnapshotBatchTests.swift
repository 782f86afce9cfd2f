import ArticleClient
import BroadsheetTestSupport
import Testing

private struct Heading: Identifiable, Equatable, Sendable {
    let id: Int
    var title = ""
}

private struct Row: Identifiable, Equatable, Sendable {
    let id: Int
    var text = ""
}

private typealias Rows = Snapshot<Heading, Row>

/// Changes of single items, and the batches in which a view shows a difference.
@Suite struct SnapshotBatchTests {
    private static func random(_ random: inout SplitMix64, sections ids: [Int]? = nil) -> Rows {
        let sections =
            ids
            ?? Array(
                Array(0..<5).shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
        var members = [[Row]](repeating: [], count: sections.count)
        for id in Array(0..<16).shuffled(using: &random) where !sections.isEmpty {
            guard Int.random(in: 0..<4, using: &random) > 0 else { continue }
            let text = Int.random(in: 0..<4, using: &random) == 0 ? "changed" : ""
            members[.random(in: 0..<sections.count, using: &random)].append(Row(id: id, text: text))
        }
        return Rows(
            zip(sections, members).map { id, rows in
                let title = Bool.random(using: &random) ? "changed" : ""
                return Rows.Group(section: Heading(id: id, title: title), items: rows)
            })
    }

    /// The kinds of steps, of which a view takes only some at once.
    private static func kind(_ step: Rows.Difference.Step) -> String {
        switch step {
        case .updateSection, .updateItem: "updates"
        case .removeItem, .insertItem, .moveItem: "items"
        case .insertSection, .moveSection: "sections"
        case .removeSection: "removals of sections"
        }
    }

    @Test func `batches lead to the new snapshot, and none mixes what UIKit rejects`() throws {
        var random = SplitMix64(seed: 7)
        var counts: Set<Int> = []
        for _ in 0..<400 {
            let (old, new) = (Self.random(&random), Self.random(&random))
            let batches = new.batches(from: old)
            var last = old
            for batch in batches {
                #expect(last.applying(batch.difference) == batch.snapshot)
                #expect(Set(batch.difference.steps.map(Self.kind)).count == 1)
                last = batch.snapshot
            }
            #expect(last == new && batches.count <= 5)
            counts.insert(batches.count)
        }
        #expect(counts.contains(0) && counts.contains(5))
    }

    @Test func `with the same sections, there are updates, and everything else`() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<200 {
            let (old, new) = (
                Self.random(&random, sections: [0, 1, 2]),
                Self.random(&random, sections: [0, 1, 2])
            )
            let batches = new.batches(from: old)
            #expect(batches.count <= 2 && (batches.last?.snapshot ?? old) == new)
        }
    }

    @Test func `the contents that have changed are named, wherever they are now`() {
        let old = Rows([
            Rows.Group(section: Heading(id: 1), items: [Row(id: 1), Row(id: 2), Row(id: 3)]),
            Rows.Group(section: Heading(id: 2), items: []),
        ])
        let new = Rows([
            Rows.Group(section: Heading(id: 2, title: "b"), items: [Row(id: 3, text: "c")]),
            Rows.Group(section: Heading(id: 1), items: [Row(id: 4), Row(id: 1)]),
        ])
        let changed = new.changed(from: old)
        #expect(changed.sections == [2] && changed.items == [3])
    }

    @Test func `edits of single items are those of a list`() throws {
        var random = SplitMix64(seed: 9)
        var snapshot = Self.random(&random, sections: [0, 1, 2])
        var lists = snapshot.groups.map(\.items)
        var outcomes: Set<String> = []
        for _ in 0..<2_000 {
            let row = Row(id: .random(in: 0..<24, using: &random), text: "edited")
            let place = Rows.Place(
                section: .random(in: 0...3, using: &random),
                item: .random(in: 0...8, using: &random)
            )
            let found = lists.indices.lazy.compactMap { section in
                lists[section].firstIndex { $0.id == row.id }.map { (section, $0) }
            }.first
            func fits(_ count: Int) -> Bool { (0...count).contains(place.item) }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let isPossible =
                    found == nil && place.section < 3 && fits(lists[place.section].count)
                #expect(snapshot.insert(row, at: place) == isPossible)
                if isPossible { lists[place.section].insert(row, at: place.item) }
                outcomes.insert("insert \(isPossible)")
            case 1:
                #expect(snapshot.remove(row.id)?.id == (found == nil ? nil : row.id))
                if let (section, index) = found { lists[section].remove(at: index) }
                outcomes.insert("remove \(found != nil)")
            case 2:
                var moved = lists
                let item = found.map { moved[$0.0].remove(at: $0.1) }
                let isPossible =
                    item != nil && place.section < 3 && fits(moved[place.section].count)
                #expect(snapshot.move(row.id, to: place) == isPossible)
                if isPossible, let item {
                    moved[place.section].insert(item, at: place.item)
                    lists = moved
                }
                outcomes.insert("move \(isPossible)")
            default:
                #expect(snapshot.update(row) == (found != nil))
                if let (section, index) = found { lists[section][index] = row }
                outcomes.insert("update \(found != nil)")
            }
            #expect(snapshot.groups.map(\.items) == lists)
        }
        #expect(outcomes.count == 8)
        let rebuilt = Rows(snapshot.groups)
        #expect(snapshot == rebuilt && snapshot.itemCount == rebuilt.itemCount)
        for id in 0..<24 { #expect(snapshot.place(of: id) == rebuilt.place(of: id)) }
    }

    @Test func `an edit is a step of the difference`() {
        let before = Rows([Rows.Group(section: Heading(id: 1), items: [Row(id: 1), Row(id: 2)])])
        var after = before
        after.update(Row(id: 2, text: "b"))
        after.insert(Row(id: 3), at: .init(section: 0, item: 0))
        #expect(
            after.difference(from: before).steps == [
                .updateItem(Row(id: 2, text: "b"), at: .init(section: 0, item: 1)),
                .insertItem(Row(id: 3), at: .init(section: 0, item: 0)),
            ])
    }
}
