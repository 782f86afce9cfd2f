/// A check for the end of the time allowed to read a document. Readers repeat it often, and end
/// with an error once no time is left.
///
/// A structure, since a task-local value of a function type crashes in optimized builds: Swift 6.3
/// passes no type for it.
package struct ReadingTime: Sendable {
    /// By default, time is over once the task is cancelled.
    @TaskLocal private static var current = ReadingTime { Task.isCancelled }

    private let hasEnded: @Sendable () -> Bool

    /// Returns true if readers should end.
    package static func isOver() -> Bool { current.hasEnded() }

    /// Runs work whose readers end as soon as the condition holds.
    package static func run<Value, Failure: Error>(
        until hasEnded: @escaping @Sendable () -> Bool, _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // `withValue` does not carry the type of the error.
        let result = $current.withValue(ReadingTime(hasEnded: hasEnded)) {
            Result(catching: work)
        }
        return try result.get()
    }

    /// The text of the errors of all readers.
    package static let phrase = "reading it took too long"
}
