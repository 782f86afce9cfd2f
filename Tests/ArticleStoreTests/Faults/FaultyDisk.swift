import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import CBroadsheetFaultVFS
import Glibc

/// A folder on a simulated disk that fails on request, and tracks what a power failure may lose.
final class FaultyDisk: Sendable {
    /// The fault, and the write, flush, truncation or removal at which it happens (counted from 1).
    enum Fault: Sendable, Hashable {
        case none
        /// This number of operations fails, starting at one.
        case failing(Failure, from: Int, count: Int)
        /// The disk stops before this operation and ignores all later ones.
        case powerCut(at: Int)
    }

    enum Failure: Sendable, Hashable, CaseIterable {
        case inputOutput, noRoom, shortWrite
    }

    private struct State {
        var fault: Fault
        /// Number of operations so far.
        var operations = 0
        var wasHit = false
        var files: [String: FileImage] = [:]
    }

    private let folder: TemporaryFolder
    private let state: Lock<State>
    private let name: String

    init(_ fault: Fault) throws {
        folder = try TemporaryFolder()
        name = Self.lastName(of: folder.path)
        state = Lock(State(fault: fault))
        guard Self.registration == 0 else { throw TestFailure("SQLite took no file system") }
        Self.disks.withLock { $0[name] = Weak(disk: self) }
    }

    deinit { _ = Self.disks.withLock { $0.removeValue(forKey: name) } }

    var databasePath: String { folder.file("a.db") }

    /// True if the fault happened.
    var wasHit: Bool { state.withLock { $0.wasHit } }

    /// Repairs the disk.
    func heal() { state.withLock { $0.fault = .none } }

    /// A possible state after the power failure: everything that was flushed, and a seeded random
    /// part of later writes.
    func afterPowerCut(seed: UInt64) throws -> TemporaryFolder {
        let files = state.withLock { $0.files }
        let found = try TemporaryFolder()
        var random = SplitMix64(seed: seed)
        for (path, image) in files.sorted(by: { $0.key < $1.key }) {
            guard let bytes = image.afterPowerCut(seed: seed, &random) else { continue }
            try FileBytes.write(bytes, to: found.file(Self.lastName(of: path)))
        }
        return found
    }

    // MARK: Listening

    private struct Weak { weak var disk: FaultyDisk? }

    private static let disks = Lock<[String: Weak]>([:])

    private static let registration: Int32 = cfault_register {
        operation, path, offset, bytes, count in
        guard let path = path.map({ String(cString: $0) }), let disk = FaultyDisk.disk(of: path)
        else { return Int32(CFAULT_NONE) }
        let data = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count))
        return Int32(
            disk.intercept(Int(operation), path, offset: Int(offset), data, count: Int(count)))
    }

    private static func disk(of path: String) -> FaultyDisk? {
        disks.withLock { disks in
            guard !disks.isEmpty, let slash = path.lastIndex(of: "/") else { return nil }
            return disks[lastName(of: String(path[..<slash]))]?.disk
        }
    }

    private static func lastName(of path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    private func intercept(
        _ operation: Int, _ path: String, offset: Int, _ data: UnsafeRawBufferPointer, count: Int
    ) -> Int {
        state.withLock { state in
            let fault = Self.fault(at: operation, &state)
            guard fault == CFAULT_NONE || fault == CFAULT_SHORT else { return fault }
            switch operation {
            case CFAULT_WRITE:
                let kept = fault == CFAULT_SHORT ? count / 2 : count
                state.files[path, default: FileImage()].add(
                    .write(offset, Array(data.prefix(kept))))
            case CFAULT_TRUNCATE: state.files[path, default: FileImage()].add(.truncate(count))
            case CFAULT_SYNC:
                state.files[path, default: FileImage()].flush()
                // SQLite flushes the folder together with the first flush of a log or journal.
                if path.hasSuffix("-wal") || path.hasSuffix("-journal") {
                    for name in state.files.keys { state.files[name]?.isNamed = true }
                }
            default: state.files[path] = nil
            }
            return fault
        }
    }

    private static func fault(at operation: Int, _ state: inout State) -> Int {
        state.operations += 1
        switch state.fault {
        case .none: return CFAULT_NONE
        case .failing(let failure, let first, let count):
            guard (first..<first + count).contains(state.operations) else { return CFAULT_NONE }
            state.wasHit = true
            switch failure {
            case .inputOutput: return CFAULT_EIO
            case .noRoom: return CFAULT_ENOSPC
            case .shortWrite: return operation == CFAULT_WRITE ? CFAULT_SHORT : CFAULT_ENOSPC
            }
        case .powerCut(let place):
            guard state.operations >= place else { return CFAULT_NONE }
            state.wasHit = true
            return CFAULT_EIO
        }
    }
}
