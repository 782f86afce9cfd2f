import BroadsheetHTTP

/// Keeps a secret out of the output of `print`, `dump` and failed expectations for the values that
/// contain it. Only its own text is left out; it can be read as before.
///
/// ```swift
/// struct Login: Sendable, Hashable {
///     var name: String
///     @Redacted var password: String
/// }
/// ```
@propertyWrapper
public struct Redacted<Value: Sendable & Hashable>: Sendable, Hashable {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Redaction.mark }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
