import ArticleStore
import Glibc

/// The last change that a file had when it was noted beside it: a file that does not have this
/// change any more was set back. Later commits need not be noted.
struct RecordedChange: Equatable {
    var epoch: Epoch
    var sequence: Int64
    var mark: Int64

    private static let lineBytes = 96

    init(epoch: Epoch, sequence: Int64, mark: Int64) {
        (self.epoch, self.sequence, self.mark) = (epoch, sequence, mark)
    }

    /// The last change that the connection sees.
    init(lastOf state: Snapshot) throws(StoreError) {
        let sequence = try state.changeSequence()
        self.init(
            epoch: try state.epoch(), sequence: sequence,
            mark: try state.mark(ofChange: sequence) ?? 0)
    }

    /// Returns true if the database had the change, and does not have it any more. One that is
    /// missing below the last one was removed on purpose.
    func isLost(from state: Snapshot) throws(StoreError) -> Bool {
        guard try state.epoch() == epoch else { return false }
        guard let found = try state.mark(ofChange: sequence) else {
            return try state.changeSequence() < sequence
        }
        return found != mark
    }

    // MARK: In a file

    /// Reads it from the beginning of the file; `nil` if there is none.
    init?(readingFrom file: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.lineBytes)
        guard pread(file, &bytes, bytes.count, 0) == bytes.count else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count == 4, let high = UInt64(words[0], radix: 16),
            let low = UInt64(words[1], radix: 16), let sequence = Int64(words[2]),
            let mark = Int64(words[3])
        else { return nil }
        self.init(epoch: Epoch(high: high, low: low), sequence: sequence, mark: mark)
    }

    /// Writes it to the beginning of the file, without a flush. A failure is as if it had not been
    /// noted.
    func write(to file: Int32) {
        let high = String(epoch.high, radix: 16)
        let low = String(epoch.low, radix: 16)
        var line = Array("\(high) \(low) \(sequence) \(mark)".utf8)
        line += [UInt8](repeating: UInt8(ascii: " "), count: Self.lineBytes - 1 - line.count)
        line.append(UInt8(ascii: "\n"))
        _ = pwrite(file, line, line.count, 0)
    }
}
