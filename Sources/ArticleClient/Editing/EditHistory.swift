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
/// `states` can be stored and restored, such as with a draft that was not sent. On Apple's
/// platforms, `register(with:)` connects it to an undo manager: the Edit menu, ⌘Z, shaking and the
/// gestures with three fingers.
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

    /// All states, for storing an editor and restoring it: `Codable` if the value is.
    public struct States {
        public var value: Value
        /// The states before it, the oldest first.
        public var undo: [Value]
        /// The states that were undone, the farthest first.
        public var redo: [Value]

        /// States without a history.
        public init(_ value: Value) { (self.value, undo, redo) = (value, [], []) }

        fileprivate init(_ value: Value, undo: [Value], redo: [Value]) {
            (self.value, self.undo, self.redo) = (value, undo, redo)
        }
    }

    private struct State {
        let value: Value
        let cost: Int
        /// The step that leads to it, by undo or redo.
        let step: Int
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
    private var lastStep = 0
    private var registry: (any UndoRegistry)?
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

    /// A history that goes on where another one was: with its value and its states, within the
    /// limits.
    ///
    /// - Parameters:
    ///   - states: the former history's `states`.
    ///   - limits: the limits of the states that are kept; the oldest ones are dropped.
    ///   - pause: an edit that comes later than this after the previous one begins a new step.
    ///   - now: a clock that is never set back; by default the system's.
    ///   - didChange: called after each change with both values. It may also edit.
    public convenience init(
        restoring states: States, limits: Limits = Limits(), pause: Duration = .seconds(1),
        now: (() -> Duration)? = nil,
        didChange: @escaping (_ old: Value, _ new: Value) -> Void
    ) {
        self.init(states.value, limits: limits, pause: pause, now: now, didChange: didChange)
        undoStates = states.undo.map(nextState)
        redoStates = states.redo.map(nextState)
        trim()
    }

    /// The value with the states before and after it.
    public var states: States {
        States(value, undo: undoStates.map(\.value), redo: redoStates.map(\.value))
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
        if !isJoining {
            let state = nextState(old)
            undoStates.append(state)
            registry?.register { [weak self] in self?.undo(step: state.step) }
        }
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

    /// Returns to the state before the last step; does nothing if there is none. With an undo
    /// manager, undoes its last action.
    public func undo() {
        if let registry { return registry.undo() }
        if let last = undoStates.last { undo(step: last.step) }
    }

    /// Returns to the state that was left by `undo`; does nothing if there is none. With an undo
    /// manager, redoes its last action.
    public func redo() {
        if let registry { return registry.redo() }
        if let last = redoStates.last { redo(step: last.step) }
    }

    /// Registers each further step, and those that can be undone now, and leaves it to the registry
    /// when they are undone and redone.
    package func register(with registry: any UndoRegistry) {
        self.registry?.removeAll()
        self.registry = registry
        for state in undoStates {
            registry.register { [weak self] in self?.undo(step: state.step) }
        }
    }

    /// Does nothing if the step is not the last one, because it was joined with others or dropped.
    private func undo(step: Int) {
        guard let state = undoStates.last, state.step == step else { return }
        undoStates.removeLast()
        // What is registered during undo is for redo, and the other way round.
        registry?.register { [weak self] in self?.redo(step: step) }
        restore(state) { redoStates.append($0) }
    }

    private func redo(step: Int) {
        guard let state = redoStates.last, state.step == step else { return }
        redoStates.removeLast()
        registry?.register { [weak self] in self?.undo(step: step) }
        restore(state) { undoStates.append($0) }
    }

    /// Forgets all states but the current one, for example after saving, or when an editor is left
    /// whose undo manager remains.
    public func removeAll() {
        registry?.removeAll()
        undoStates = []
        redoStates = []
        group = nil
    }

    private func restore(_ state: State, _ keep: (State) -> Void) {
        let old = value
        keep(State(value: old, cost: cost(of: old), step: state.step))
        value = state.value
        group = nil
        trim()
        didChange(old, state.value)
    }

    private func nextState(_ value: Value) -> State {
        lastStep += 1
        return State(value: value, cost: cost(of: value), step: lastStep)
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

extension EditHistory.States: Equatable {}
extension EditHistory.States: Sendable where Value: Sendable {}
extension EditHistory.States: Encodable where Value: Encodable {}
extension EditHistory.States: Decodable where Value: Decodable {}
