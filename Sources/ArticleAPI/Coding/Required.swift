/// A part that could not be read; its fault has been reported.
struct UnreadPart: Error {}

/// The value of a part; it is what lets a pack of optionals become a pack of values.
func required<Value>(_ value: Value?) throws(UnreadPart) -> Value {
    guard let value else { throw UnreadPart() }
    return value
}
