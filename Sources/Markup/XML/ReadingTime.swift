/// Whether no time is left to read a document, however long it still is. Readers look at it again
/// and again, and then end with an error.
package enum ReadingTime {
    /// By default, time is over once the task is cancelled.
    @TaskLocal package static var isOver: @Sendable () -> Bool = { Task.isCancelled }

    /// What the errors of all readers say.
    package static let phrase = "there was no time to read it"
}
