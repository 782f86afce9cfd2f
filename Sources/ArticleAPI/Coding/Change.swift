/// The change of one attribute by a merge patch (RFC 7396 §2).
///
/// ```swift
/// let changes = Article.Changes(title: .set("Rye bread"), summary: .clear)
/// let draft = try article.draft(applying: changes)
/// ```
public enum Change<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The attribute is absent from the patch.
    case keep
    /// `null`: resets the attribute to its default; rejected if it has none.
    case clear
    case set(Value)
}

extension Change {
    /// The change from one value to the other; a missing new value clears the attribute.
    init(from before: Value?, to after: Value?) {
        self = before == after ? .keep : after.map { .set($0) } ?? .clear
    }

    /// The new value of an attribute that has a default.
    private func applied<Result>(
        to current: Result, cleared: Result, _ wrap: (Value) -> Result
    ) -> Result {
        switch self {
        case .keep: current
        case .clear: cleared
        case .set(let value): wrap(value)
        }
    }

    /// The value after the change of an attribute that may be absent.
    public func applied(to current: Value?) -> Value? { applied(to: current, cleared: nil) }

    package func applied(to current: Value, cleared: Value) -> Value {
        applied(to: current, cleared: cleared) { $0 }
    }

    package func applied(to current: Value?, cleared: Value?) -> Value? {
        applied(to: current, cleared: cleared) { $0 }
    }

    /// The new value of a required attribute. Clearing it is a fault, and so is keeping an absent
    /// one; then the attribute stays as it is.
    package func applied(
        to current: Value?, in path: [String], _ faults: inout [JSONFault]
    ) -> Value? {
        switch self {
        case .set(let value): return value
        case .clear: faults.append(JSONFault(path, .rejected("cannot be null")))
        case .keep: if current == nil { faults.append(JSONFault(path, .missing)) }
        }
        return current
    }
}

extension JSONFault {
    fileprivate init(_ names: [String], _ reason: Reason) {
        self.init(path: JSONPath(names.map { .name($0) }), reason: reason)
    }
}
