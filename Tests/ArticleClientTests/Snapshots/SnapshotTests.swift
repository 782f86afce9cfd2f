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

/// Snapshots of random rows: any number of them is removed, inserted, moved and changed at once.
@Suite struct SnapshotTests {
    /// Each row is in one of the sections, or in none; ids are few, so that snapshots share many.
    private static func random(_ random: inout SplitMix64, rows: Int = 24) -> Rows {
        let sections = Array(0..<6).shuffled(using: &random).prefix(
            Int.random(in: 0...6, using: &random))
        var members = [[Row]](repeating: [], count: sections.count)
        for id in Array(0..<rows).shuffled(using: &random) where !sections.isEmpty {
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

    private static func rows(_ sections: [[Int]]) -> Rows {
        Rows(
            sections.enumerated().map { index, ids in
                Rows.Group(section: Heading(id: index), items: ids.map { Row(id: $0) })
            })
    }

    @Test(arguments: 0..<(Thoroughness.isFull ? 4 : 2))
    func `applying the difference of two snapshots gives the new one`(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var seen: Set<String> = []
        for _ in 0..<500 {
            let (old, new) = (Self.random(&random), Self.random(&random))
            let difference = new.difference(from: old)
            #expect(old.applying(difference) == new)
            #expect(difference.isEmpty == (old == new))
            for step in difference.steps {
                seen.insert(String("\(step)".prefix { $0 != "(" }))
            }
        }
        // The snapshots are random enough for each kind of step.
        #expect(seen.count == 8)
    }

    @Test func `a snapshot has no difference from itself`() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<100 {
            let snapshot = Self.random(&random)
            #expect(snapshot.difference(from: snapshot).isEmpty)
            #expect(snapshot.applying(snapshot.difference(from: snapshot)) == snapshot)
        }
    }

    /// The kinds of steps are in their order, and the places within a kind, too.
    @Test func `steps are ordered`() {
        var random = SplitMix64(seed: 10)
        for _ in 0..<500 {
            let (old, new) = (Self.random(&random), Self.random(&random))
            let steps = new.difference(from: old).steps
            let keys = steps.map { step -> [Int] in
                switch step {
                case .updateSection(_, let index): [0, index]
                case .updateItem(_, let place): [1, place.section, place.item]
                case .removeItem(let place): [2, -place.section, -place.item]
                case .removeSection(let index): [3, -index]
                case .insertSection(_, let index), .moveSection(_, let index): [4, index]
                case .insertItem(_, let place), .moveItem(_, let place):
                    [5, place.section, place.item]
                }
            }
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test func `there are as few moves as possible`() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let count = Int.random(in: 0...12, using: &random)
            let order = Array(0..<count).shuffled(using: &random)
            let (old, new) = (Self.rows([Array(0..<count)]), Self.rows([order]))
            let moves = new.difference(from: old).steps.count
            #expect(moves == count - Self.longestIncreasing(order))
        }
        let sections = Array(0..<5).map { Rows.Group(section: Heading(id: $0), items: []) }
        let moved = Rows(sections.dropFirst() + sections.prefix(1))
        let steps = moved.difference(from: Rows(sections)).steps
        #expect(steps == [.moveSection(from: 0, to: 4)])
    }

    /// The length of a longest increasing subsequence, by comparing all pairs.
    private static func longestIncreasing(_ values: [Int]) -> Int {
        var lengths: [Int] = []
        for (index, value) in values.enumerated() {
            let shorter = (0..<index).filter { values[$0] < value }.map { lengths[$0] }
            lengths.append(1 + (shorter.max() ?? 0))
        }
        return lengths.max() ?? 0
    }

    @Test func `a change of one row is one step`() {
        let old = Self.rows([[1, 2], [3, 4]])
        #expect(
            Self.rows([[1], [3, 4]]).difference(from: old).steps
                == [.removeItem(at: .init(section: 0, item: 1))])
        #expect(
            Self.rows([[1, 2], [3, 5, 4]]).difference(from: old).steps
                == [.insertItem(Row(id: 5), at: .init(section: 1, item: 1))])
        #expect(
            Self.rows([[1], [3, 2, 4]]).difference(from: old).steps
                == [
                    .moveItem(
                        from: .init(section: 0, item: 1), to: .init(section: 1, item: 1))
                ])
        let changed = Rows(
            old.groups.map { group in
                Rows.Group(
                    section: group.section,
                    items: group.items.map { Row(id: $0.id, text: $0.id == 3 ? "new" : "") })
            })
        #expect(
            changed.difference(from: old).steps
                == [.updateItem(Row(id: 3, text: "new"), at: .init(section: 1, item: 0))])
    }

    @Test func `rows of a moved section move with it`() {
        let old = Self.rows([[1, 2], [3, 4]])
        let new = Rows(old.groups.reversed())
        #expect(new.difference(from: old).steps == [.moveSection(from: 1, to: 0)])
        #expect(old.applying(new.difference(from: old)) == new)
    }

    @Test func `rows of a removed section can move to an inserted one`() {
        let old = Rows([Rows.Group(section: Heading(id: 1), items: [Row(id: 1), Row(id: 2)])])
        let new = Rows([Rows.Group(section: Heading(id: 2), items: [Row(id: 2)])])
        let steps = new.difference(from: old).steps
        #expect(
            steps == [
                .removeItem(at: .init(section: 0, item: 0)), .removeSection(at: 0),
                .insertSection(Heading(id: 2), at: 0),
                .moveItem(from: .init(section: 0, item: 1), to: .init(section: 0, item: 0)),
            ])
        #expect(old.applying(.init(steps: steps)) == new)
    }

    @Test func `steps that do not fit are not applied`() {
        let old = Self.rows([[1, 2], [3]])
        func fits(_ steps: Rows.Difference.Step...) -> Bool {
            old.applying(.init(steps: steps)) != nil
        }
        let first = Rows.Place(section: 0, item: 0)
        #expect(fits())
        #expect(!fits(.removeItem(at: .init(section: 0, item: 2))))
        #expect(!fits(.removeItem(at: .init(section: -1, item: 0))))
        #expect(!fits(.removeItem(at: first), .removeItem(at: first)))
        #expect(!fits(.removeItem(at: first), .moveItem(from: first, to: first)))
        #expect(!fits(.removeSection(at: 1)))
        #expect(!fits(.removeSection(at: 2)))
        #expect(fits(.removeItem(at: .init(section: 1, item: 0)), .removeSection(at: 1)))
        #expect(!fits(.insertItem(Row(id: 2), at: first)))
        #expect(!fits(.insertItem(Row(id: 4), at: .init(section: 2, item: 0))))
        #expect(!fits(.insertItem(Row(id: 4), at: .init(section: 0, item: 3))))
        #expect(!fits(.insertItem(Row(id: 4), at: first), .insertItem(Row(id: 5), at: first)))
        #expect(!fits(.insertSection(Heading(id: 1), at: 0)))
        #expect(!fits(.insertSection(Heading(id: 7), at: 3)))
        #expect(!fits(.updateItem(Row(id: 9), at: first)))
        #expect(!fits(.updateSection(Heading(id: 9), at: 0)))
        #expect(!fits(.updateSection(Heading(id: 0), at: 2)))
        #expect(!fits(.moveSection(from: 0, to: 2)))
    }

    @Test func `ids are unique`() {
        let twice = Rows([
            .init(section: Heading(id: 1), items: [Row(id: 1), Row(id: 1, text: "second")]),
            .init(section: Heading(id: 2), items: [Row(id: 2), Row(id: 1)]),
            .init(section: Heading(id: 1, title: "second"), items: [Row(id: 3), Row(id: 2)]),
        ])
        let once = Rows([
            .init(section: Heading(id: 1), items: [Row(id: 1), Row(id: 3)]),
            .init(section: Heading(id: 2), items: [Row(id: 2)]),
        ])
        #expect(twice == once)
        #expect(twice.itemCount == 3)
    }

    @Test func `rows and sections are found by their ids`() {
        let snapshot = Self.rows([[1, 2], [3]])
        #expect(snapshot.place(of: 2) == .init(section: 0, item: 1))
        #expect(snapshot.place(of: 4) == nil)
        #expect(snapshot.index(of: 1) == 1)
        #expect(snapshot.index(of: 2) == nil)
        #expect(snapshot.item(at: .init(section: 1, item: 0))?.id == 3)
        #expect(snapshot.item(at: .init(section: 1, item: 1)) == nil)
        #expect(snapshot.item(at: .init(section: 2, item: 0)) == nil)
    }
}
