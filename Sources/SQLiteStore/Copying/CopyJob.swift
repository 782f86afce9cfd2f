import ArticleStore

/// Copies the writer's database between its commits.
///
/// `@unchecked`: after its creation, it is only used on the commit queue's thread.
final class CopyJob: @unchecked Sendable {
    private let destination: CopyDestination
    private let progress: @Sendable (CopyProgress) -> Void
    private let continuation: CheckedContinuation<StoreError?, Never>
    private var copy: RunningCopy?

    /// A box for the noncopyable value.
    private final class RunningCopy {
        let pages: PageCopy

        init(_ pages: consuming PageCopy) { self.pages = pages }
    }

    /// 256 KiB: the maximum that delays a write.
    private static let stepPages: Int32 = 64

    init(
        _ destination: CopyDestination, _ progress: @escaping @Sendable (CopyProgress) -> Void,
        _ continuation: CheckedContinuation<StoreError?, Never>
    ) {
        self.destination = destination
        self.progress = progress
        self.continuation = continuation
    }

    /// Copies some pages; true if the copy has ended, successfully or not, and the caller was
    /// resumed.
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
