import ArticleStore

/// A copy of the writer's database that is made between its commits.
///
/// `@unchecked`: after its making it is used on the commit queue's one thread alone.
final class CopyJob: @unchecked Sendable {
    private let destination: CopyDestination
    private let progress: @Sendable (CopyProgress) -> Void
    private let continuation: CheckedContinuation<StoreError?, Never>
    private var copy: RunningCopy?

    /// Holds what cannot be copied.
    private final class RunningCopy {
        let pages: PageCopy

        init(_ pages: consuming PageCopy) { self.pages = pages }
    }

    /// 256 KiB: a write waits for so much at most.
    private static let stepPages: Int32 = 64

    init(
        _ destination: CopyDestination, _ progress: @escaping @Sendable (CopyProgress) -> Void,
        _ continuation: CheckedContinuation<StoreError?, Never>
    ) {
        self.destination = destination
        self.progress = progress
        self.continuation = continuation
    }

    /// Copies some pages; true when it is over, well or not, and whoever waits knows.
    func step(from connection: Connection) -> Bool {
        do throws(StoreError) {
            let running =
                if let copy { copy } else {
                    RunningCopy(try connection.copy(to: destination.take()))
                }
            copy = running
            let isDone = try running.pages.step(pages: Self.stepPages)
            progress(running.pages.progress)
            if isDone { end(nil) }
            return isDone
        } catch {
            end(error)
            return true
        }
    }

    func end(_ failure: StoreError?) {
        copy = nil
        continuation.resume(returning: failure)
    }
}
