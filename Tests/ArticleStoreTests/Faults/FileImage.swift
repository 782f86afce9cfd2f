import BroadsheetTestSupport

/// A file on a simulated disk: flushed contents and later writes.
struct FileImage: Sendable {
    enum Change: Sendable {
        case write(Int, [UInt8])
        case truncate(Int)
    }

    private var flushed: [UInt8] = []
    private var changes: [Change] = []
    /// True if its name was flushed with its folder.
    var isNamed = false

    mutating func add(_ change: Change) { changes.append(change) }

    mutating func flush() {
        for change in changes { Self.apply(change, to: &flushed) }
        changes = []
    }

    /// A possible state after a power failure: with seed 0 only flushed contents, with 1
    /// everything, otherwise random changes, complete or by sectors; `nil` if not even the name is
    /// left.
    func afterPowerCut(seed: UInt64, _ random: inout SplitMix64) -> [UInt8]? {
        if !isNamed, flushed.isEmpty, seed != 1, Bool.random(using: &random) { return nil }
        var bytes = flushed
        for change in changes {
            switch seed {
            case 0: continue
            case 1: Self.apply(change, to: &bytes)
            default:
                for part in seed % 2 == 0 ? [change] : Self.sectors(of: change)
                where Bool.random(using: &random) {
                    Self.apply(part, to: &bytes)
                }
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let data):
            let end = offset + data.count
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(offset..<end, with: data)
        case .truncate(let count):
            bytes = Array(bytes.prefix(count))
            bytes += [UInt8](repeating: 0, count: count - bytes.count)
        }
    }

    private static let sectorBytes = 512

    private static func sectors(of change: Change) -> [Change] {
        guard case .write(let offset, let data) = change else { return [change] }
        var parts: [Change] = []
        var start = 0
        // Invariant: `parts` contains the bytes before `start`.
        while start < data.count {
            let end = min(data.count, start + sectorBytes - (offset + start) % sectorBytes)
            parts.append(.write(offset + start, Array(data[start..<end])))
            start = end
        }
        return parts
    }
}
