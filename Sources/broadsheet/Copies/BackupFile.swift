import ArticleStore
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A copy of a database that appears in its place verified and whole, or not at all.
///
/// It gathers beside its place in a file that only its owner can read; that goes with everything
/// that does not succeed, an end by SIGINT or SIGTERM too.
struct BackupFile: ~Copyable {
    private let file: NewFile
    private let signals: ShutdownSignals

    /// Where the copy is while it is none yet.
    var partial: String { file.place }
    var descriptor: Int32 { file.descriptor }

    init(for path: String) throws(CommandFailure) {
        // Taken over first: there is no moment in which a file is left behind.
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

    /// The file, and what SQLite may have made beside it.
    private static func remove(_ partial: String) {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(partial + ending) }
    }

    /// Copies a file that nobody serves.
    func take(from path: String, _ progress: (CopyProgress) -> Void) throws(CommandFailure) {
        do throws(StoreError) {
            let destination = try CopyDestination(path: partial)
            do throws(StoreOpeningError) {
                try SQLiteStore.copy(path, to: destination, progress: progress)
            } catch { throw StoreError.rejected(CommandFailure(error)) }
        } catch { throw CommandFailure(error) }
    }

    /// Examines what was copied, and flushes it.
    /// - Parameter source: what is to blame for a fault.
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
            for finding in report.findings { Console.complain(finding) }
            throw CommandFailure(
                .dataError,
                "\(source): \(report.findings.count) findings; the copy was not kept")
        }
        guard fsync(descriptor) == 0 else {
            throw Files.failure("cannot write \(partial)", .ioError)
        }
        return report
    }

    /// Puts it in its place, durably.
    func keep() throws(CommandFailure) { try file.keep() }
}
