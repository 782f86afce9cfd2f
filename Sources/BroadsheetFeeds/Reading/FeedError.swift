/// The reason why bytes are not a feed. See ``FeedParser``.
package struct FeedError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the bytes found, and of those expected.
    package let message: String
    /// The line of the document, counted from 1; `nil` if the fault has no place.
    package let line: Int?

    package init(_ message: String, line: Int? = nil) {
        self.message = message
        self.line = line
    }

    package var description: String { line.map { "line \($0): \(message)" } ?? message }
}
