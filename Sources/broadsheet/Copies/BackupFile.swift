import ArticleStore
import Platform
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A copy of a database that appears at its path only when it is complete and verified.
///
/// It is written to a temporary file that only its owner can read, and that is removed on any
/// failure, including SIGINT and SIGTERM.
struct BackupFile: ~Copyable {
    private let file: NewFile
    private let signals: ShutdownSignals

    /// The path of the temporary file.
    var partial: String { file.place }
    var descriptor: Int32 { file.descriptor }

    init(for path: String) throws(CommandFailure) {
        // The handlers come first, so that no signal can leave a file behind.
        let partial = Lock<String?>(nil)
        signals = ShutdownSignals { _ in
            if let partial = partial.withLock({ $0 }) { Self.remove(partial) }
            _exit(ExitStatus.cutShort.rawValue)
        }
        let file = try NewFile(path)
        partial.withLock { $0 = file.place }
        self.file = file
    }

    deinit { Self.remove(file.place) }

    /// Removes the file, and those that SQLite may have created next to it.
    private static func remove(_ partial: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(partial + ending) }
    }

    /// Copies a database that is not being served.
    func take(from path: String, _ progress: (CopyProgress) -> Void) throws(CommandFailure) {
        do throws(StoreError) {
            let destination = try CopyDestination(path: partial)
            do throws(StoreOpeningError) {
                try SQLiteStore.copy(path, to: destination, progress: progress)
            } catch { throw StoreError.rejected(CommandFailure(error)) }
        } catch { throw CommandFailure(error) }
    }

    /// Verifies the copy, and flushes it.
    /// - Parameter source: the path that a failure names.
    func verify(_ source: String) throws(CommandFailure) -> CheckReport {
        let report: CheckReport
        do throws(StoreOpeningError) {
            report = try SQLiteStore.settle(copy: partial)
        } catch .foreign {
            throw CommandFailure(StoreOpeningError.foreign(path: source))
        } catch .newer(_, let version, let known) {
            throw CommandFailure(
                StoreOpeningError.newer(path: source, version: version, known: known))
        } catch { throw CommandFailure(error) }
        guard report.isClean else {
            for finding in report.findings { Console.printError(finding) }
            throw CommandFailure(
                .dataError,
                "\(source): \(report.findings.count) findings; the copy was discarded")
        }
        guard fsync(descriptor) == 0 else {
            throw Files.failure("cannot write \(partial)", .ioError)
        }
        return report
    }

    /// Moves the copy to its path, durably.
    func keep() throws(CommandFailure) { try file.keep() }
}
