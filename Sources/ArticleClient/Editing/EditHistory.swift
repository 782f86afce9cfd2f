/// The states of a value while it is edited, for undo and redo.
///
/// Each state is a whole value, so that nothing needs to know how to take back an edit. Edits with
/// the same group become one step while they follow each other without a pause, like letters that
/// are typed into one field. Every change of the value, by an edit or by undo and redo, calls
/// `didChange` once.
///
/// ```swift
/// let history = EditHistory(Draft(title: "Bread")) { old, new in
///     changes.append("\(old.title) → \(new.title)")
/// }
/// history.edit(group: \Draft.title) { $0.title = "Rye" }
/// history.edit(group: \Draft.title) { $0.title = "Rye bread" }
/// history.undo()
/// ```
///
/// It has identity, because menus and views share it. Use it from one actor, usually the main
/// actor.
public final class EditHistory<Value: Equatable> {
    /// The limits of the states that are kept. The current value does not count.
    public struct Limits {
        /// The most states that are kept for undo and redo together.
        public var limitCount: Int
        /// The most that these states may cost together.
        public var limitCost: Int
        /// The cost of a state, such as its bytes; at least 0.
        public var cost: (Value) -> Int

        public init(
            limitCount: Int = 100, limitCost: Int = .max,
            cost: @escaping (Value) -> Int = { _ in 0 }
        ) {
            self.limitCount = limitCount
            self.limitCost = limitCost
            self.cost = cost
        }
    }

    private struct State {
        let value: Value
        let cost: Int
    }

    /// The edits that a next one may join.
    private struct OpenGroup {
        let id: AnyHashable
        /// The time of its last edit.
        var time: Duration
    }

    public private(set) var value: Value
    /// The oldest first.
    private var undoStates: [State] = []
    /// The farthest first.
    private var redoStates: [State] = []
    private var group: OpenGroup?
    private let limits: Limits
    private let pause: Duration
    private let now: () -> Duration
    private let didChange: (_ old: Value, _ new: Value) -> Void

    /// - Parameters:
    ///   - value: the first state.
    ///   - limits: the limits of the states that are kept; the oldest ones are dropped.
    ///   - pause: an edit that comes later than this after the previous one begins a new step.
    ///   - now: a clock that is never set back; by default the system's.
    ///   - didChange: called after each change with both values. It may also edit.
    public init(
        _ value: Value, limits: Limits = Limits(), pause: Duration = .seconds(1),
        now: (() -> Duration)? = nil,
        didChange: @escaping (_ old: Value, _ new: Value) -> Void
    ) {
        self.value = value
        self.limits = limits
        self.pause = pause
        self.now = now ?? ClientEnvironment.system.now
        self.didChange = didChange
    }

    public var canUndo: Bool { !undoStates.isEmpty }
    public var canRedo: Bool { !redoStates.isEmpty }

    /// Changes the value. An edit that changes nothing is not recorded.
    ///
    /// Edits that were undone before can no longer be redone.
    ///
    /// - Parameters:
    ///   - id: the edited part, such as a key path. An edit joins the step of the previous one if
    ///     both have the same group, and neither a pause nor undo is between them. `nil` always
    ///     begins a new step.
    ///   - change: changes the value.
    public func edit(group id: AnyHashable? = nil, _ change: (inout Value) -> Void) {
        let old = value
        var new = old
        change(&new)
        guard new != old else { return }
        let time = now()
        let isJoining = group.map { $0.id == id && time - $0.time <= pause } ?? false
        if !isJoining { undoStates.append(State(value: old, cost: cost(of: old))) }
        redoStates = []
        value = new
        group = id.map { OpenGroup(id: $0, time: time) }
        if isJoining, undoStates.last?.value == new {
            // The step has come back to where it began: there is nothing to undo.
            undoStates.removeLast()
            group = nil
        }
        trim()
        didChange(old, new)
    }

    /// Makes the next edit a new step, for example when a field loses the focus.
    public func endGroup() { group = nil }

    /// Returns to the state before the last step; does nothing if there is none.
    public func undo() {
        guard let state = undoStates.popLast() else { return }
        restore(state) { redoStates.append($0) }
    }

    /// Returns to the state that was left by `undo`; does nothing if there is none.
    public func redo() {
        guard let state = redoStates.popLast() else { return }
        restore(state) { undoStates.append($0) }
    }

    /// Forgets all states but the current one, for example after saving.
    public func removeAll() {
        undoStates = []
        redoStates = []
        group = nil
    }

    private func restore(_ state: State, _ keep: (State) -> Void) {
        let old = value
        keep(State(value: old, cost: cost(of: old)))
        value = state.value
        group = nil
        trim()
        didChange(old, state.value)
    }

    private func cost(of value: Value) -> Int { max(0, limits.cost(value)) }

    /// Drops states above the limits: first the oldest, then those farthest ahead.
    private func trim() {
        var (count, cost) = (0, 0)
        var isFull = false
        func isKept(_ state: State) -> Bool {
            let (sum, overflow) = cost.addingReportingOverflow(state.cost)
            isFull = isFull || overflow || sum > limits.limitCost || count >= limits.limitCount
            if !isFull { (count, cost) = (count + 1, sum) }
            return !isFull
        }
        redoStates.removeFirst(redoStates.count - redoStates.reversed().prefix(while: isKept).count)
        undoStates.removeFirst(undoStates.count - undoStates.reversed().prefix(while: isKept).count)
    }
}
