import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import FoundationEssentials
import Testing

/// An undo manager as Apple documents it: what is registered during undo can be redone.
private final class UndoStacks: UndoRegistry {
    private enum Phase {
        case idle, undoing, redoing
    }

    private var phase = Phase.idle
    private(set) var undos: [() -> Void] = []
    private(set) var redos: [() -> Void] = []

    func register(_ action: @escaping () -> Void) {
        if phase == .undoing { redos.append(action) } else { undos.append(action) }
        if phase == .idle { redos = [] }
    }

    func undo() {
        phase = .undoing
        undos.popLast()?()
        phase = .idle
    }

    func redo() {
        phase = .redoing
        redos.popLast()?()
        phase = .idle
    }

    func removeAll() { (undos, redos) = ([], []) }
}

/// Histories that an undo manager drives, and that are stored and restored.
@Suite struct UndoRegistryTests {
    private static func history(_ value: Int = 0) -> EditHistory<Int> {
        EditHistory(value, now: { .zero }, didChange: { _, _ in })
    }

    @Test func `an undo manager and the history itself do the same`() {
        var random = SplitMix64(seed: 3)
        let (own, registered, manager) = (Self.history(), Self.history(), UndoStacks())
        registered.register(with: manager)
        for step in 1...2_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                own.edit { $0 = step }
                registered.edit { $0 = step }
            case 2:
                own.undo()
                // From the menu, or by a button of the editor.
                if Bool.random(using: &random) { manager.undo() } else { registered.undo() }
            default:
                own.redo()
                if Bool.random(using: &random) { manager.redo() } else { registered.redo() }
            }
            #expect(registered.value == own.value)
            // The states beyond the limit are gone, and their actions do nothing.
            #expect(registered.canUndo == own.canUndo && registered.canRedo == own.canRedo)
        }
    }

    @Test func `letters without a pause are one action`() {
        let (history, manager) = (Self.history(), UndoStacks())
        history.register(with: manager)
        for value in 1...5 { history.edit(group: "a") { $0 = value } }
        #expect(manager.undos.count == 1)
        manager.undo()
        #expect(history.value == 0 && manager.redos.count == 1)
        manager.redo()
        #expect(history.value == 5)
    }

    @Test func `a step that has come back to where it began undoes nothing else`() {
        let (history, manager) = (Self.history(), UndoStacks())
        history.register(with: manager)
        history.edit { $0 = 1 }
        history.edit(group: "a") { $0 = 2 }
        history.edit(group: "a") { $0 = 1 }
        manager.undo()
        #expect(history.value == 1)
        manager.undo()
        #expect(history.value == 0 && !history.canUndo)
        manager.redo()
        #expect(history.value == 1)
    }

    @Test func `actions of others are undone in turn`() {
        let (first, second, manager) = (Self.history(), Self.history(), UndoStacks())
        first.edit { $0 = 1 }
        first.register(with: manager)
        second.register(with: manager)
        second.edit { $0 = 2 }
        first.edit { $0 = 3 }
        manager.undo()
        manager.undo()
        #expect(first.value == 1 && second.value == 0)
        manager.undo()
        #expect(first.value == 0)
        manager.redo()
        manager.redo()
        #expect(first.value == 1 && second.value == 2)
    }

    @Test func `a history that is gone does nothing, and one that forgets leaves no action`() {
        let manager = UndoStacks()
        var history: EditHistory<Int>? = Self.history()
        weak let former = history
        history?.register(with: manager)
        history?.edit { $0 = 1 }
        history = nil
        #expect(former == nil)
        manager.undo()
        let other = Self.history()
        other.register(with: manager)
        other.edit { $0 = 1 }
        other.removeAll()
        #expect(manager.undos.isEmpty)
        manager.undo()
        #expect(other.value == 1)
    }

    @Test func `an unsent comment is restored with its history`() throws {
        var draft = ArticleComment.Draft(body: "")
        let history = EditHistory(draft, now: { .zero }, didChange: { _, _ in })
        for text in ["What", "What about", "What about *rye*?"] {
            history.edit { $0.body = text }
        }
        history.undo()
        let data = try JSONEncoder().encode(history.states)
        let states = try JSONDecoder().decode(
            EditHistory<ArticleComment.Draft>.States.self, from: data)
        #expect(states == history.states)
        let restored = EditHistory(restoring: states, now: { .zero }, didChange: { _, _ in })
        #expect(restored.value.body == "What about")
        restored.redo()
        #expect(restored.value.body == "What about *rye*?" && !restored.canRedo)
        for _ in 0..<3 { restored.undo() }
        draft.body = ""
        #expect(restored.value == draft && !restored.canUndo)
    }

    @Test func `no more states are restored than the limits allow`() {
        let history = Self.history()
        for value in 1...10 { history.edit { $0 = value } }
        let restored = EditHistory(
            restoring: history.states, limits: .init(limitCount: 3), didChange: { _, _ in })
        #expect(restored.states.undo == [7, 8, 9] && restored.value == 10)
        #expect(EditHistory<Int>.States(7).undo.isEmpty)
    }
}
