/// A part that could not be read; its fault has been reported.
struct UnreadPart: Error {}

/// The value of a part. It turns a pack of optionals into a pack of values.
func required<Value>(_ value: Value?) throws(UnreadPart) -> Value {
    guard let value else { throw UnreadPart() }
    return value
}
