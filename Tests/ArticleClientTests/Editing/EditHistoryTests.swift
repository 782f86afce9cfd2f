import ArticleClient
import BroadsheetTestSupport
import Testing

/// Undo and redo, compared with a list of all states.
@Suite struct EditHistoryTests {
    /// The caller's clock and the reported changes, shared with the closures of a history.
    private final class Fixture {
        var time = Duration.zero
        var changes: [[Int]] = []
    }

    private static func history(
        _ fixture: Fixture, limits: EditHistory<Int>.Limits = .init(), pause: Duration = .seconds(1)
    ) -> EditHistory<Int> {
        EditHistory(
            0, limits: limits, pause: pause, now: { fixture.time },
            didChange: { old, new in fixture.changes.append([old, new]) })
    }

    /// All states in a list, with the current one at `current`.
    private struct Model {
        var states = [0]
        var current = 0
        var group: (id: Int, time: Duration)?
        let limitCount: Int
        let limitCost: Int

        var value: Int { states[current] }

        mutating func edit(_ id: Int?, to value: Int, at time: Duration) {
            guard value != self.value else { return }
            let isJoining = group.map { $0.id == id && time <= $0.time + .seconds(1) } ?? false
            states.removeLast(states.count - 1 - current)
            if isJoining { states[current] = value } else { states.append(value) }
            current = states.count - 1
            group = id.map { ($0, time) }
            if isJoining, current > 0, states[current - 1] == value {
                states.removeLast()
                current -= 1
                group = nil
            }
            trim()
        }

        mutating func move(by step: Int) {
            guard states.indices.contains(current + step) else { return }
            current += step
            group = nil
            trim()
        }

        private mutating func trim() {
            func isTooMuch() -> Bool {
                let kept = states.enumerated().filter { $0.offset != current }.map(\.element)
                return kept.count > limitCount || kept.reduce(0, +) > limitCost
            }
            while isTooMuch() {
                if current > 0 {
                    states.removeFirst()
                    current -= 1
                } else {
                    states.removeLast()
                }
            }
        }
    }

    @Test(arguments: [(100, Int.max), (3, .max), (100, 20), (4, 15), (0, .max), (1, 9)])
    func `it is like a list of states`(count: Int, cost: Int) {
        var random = SplitMix64(seed: UInt64(count))
        for _ in 0..<200 {
            let fixture = Fixture()
            let history = Self.history(
                fixture, limits: .init(limitCount: count, limitCost: cost) { $0 })
            var model = Model(limitCount: count, limitCost: cost)
            for _ in 0..<40 {
                fixture.time += .milliseconds(Int.random(in: 0...800, using: &random))
                let before = model.value
                fixture.changes = []
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1:
                    history.undo()
                    model.move(by: -1)
                case 2:
                    history.redo()
                    model.move(by: 1)
                case 3:
                    history.endGroup()
                    model.group = nil
                default:
                    let group = [nil, 1, 1, 2].randomElement(using: &random) ?? nil
                    let value = Int.random(in: 0..<10, using: &random)
                    history.edit(group: group) { $0 = value }
                    model.edit(group, to: value, at: fixture.time)
                }
                #expect(history.value == model.value)
                #expect(history.canUndo == (model.current > 0))
                #expect(history.canRedo == (model.current < model.states.count - 1))
                // An undone step may lead to an equal value, which is reported, too.
                let expected = [before, model.value]
                #expect(fixture.changes.count <= 1 && fixture.changes.allSatisfy { $0 == expected })
                #expect(before == model.value || fixture.changes.count == 1)
            }
        }
    }

    @Test func `letters that are typed without a pause are one step`() {
        let fixture = Fixture()
        let history = Self.history(fixture)
        for value in 1...3 {
            fixture.time += .seconds(1)
            history.edit(group: "title") { $0 = value }
        }
        fixture.time += .milliseconds(1_001)
        history.edit(group: "title") { $0 = 4 }
        #expect(fixture.changes == [[0, 1], [1, 2], [2, 3], [3, 4]])
        history.undo()
        #expect(history.value == 3)
        history.undo()
        #expect(history.value == 0 && !history.canUndo)
        history.redo()
        #expect(history.value == 3)
    }

    @Test func `another field, the end of a group, and undo begin a new step`() {
        let fixture = Fixture()
        let history = Self.history(fixture)
        history.edit(group: "title") { $0 = 1 }
        history.edit(group: "body") { $0 = 2 }
        history.endGroup()
        history.edit(group: "body") { $0 = 3 }
        history.edit { $0 = 4 }
        history.edit { $0 = 5 }
        for expected in [4, 3, 2, 1, 0] {
            history.undo()
            #expect(history.value == expected)
        }
        history.redo()
        history.edit(group: "title") { $0 = 6 }
        history.undo()
        #expect(history.value == 1 && history.canUndo)
    }

    @Test func `an edit that changes nothing is not recorded`() {
        let fixture = Fixture()
        let history = Self.history(fixture)
        history.edit { $0 = 1 }
        history.undo()
        history.edit { $0 = 0 }
        #expect(history.canRedo && !history.canUndo && fixture.changes.count == 2)
    }

    @Test func `a step that comes back to its beginning cannot be undone`() {
        let fixture = Fixture()
        let history = Self.history(fixture)
        history.edit(group: "title") { $0 = 1 }
        history.edit(group: "title") { $0 = 0 }
        #expect(!history.canUndo && fixture.changes == [[0, 1], [1, 0]])
    }

    @Test func `costs that overflow are above each limit`() {
        let fixture = Fixture()
        let history = Self.history(
            fixture, limits: .init(limitCost: .max - 1, cost: { _ in .max / 2 }))
        for value in 1...5 { history.edit { $0 = value } }
        history.undo()
        history.undo()
        #expect(history.value == 3 && !history.canUndo)
    }

    @Test func `the callback may edit`() {
        var history: EditHistory<Int>?
        var changes: [[Int]] = []
        history = EditHistory(0) { old, new in
            changes.append([old, new])
            if new == 1 { history?.edit { $0 = 2 } }
        }
        history?.edit { $0 = 1 }
        #expect(history?.value == 2 && changes == [[0, 1], [1, 2]])
        history?.removeAll()
        #expect(history?.canUndo == false && history?.value == 2)
        history = nil
    }
}
