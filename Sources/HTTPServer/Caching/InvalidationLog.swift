/// Remembers the last change of each cache tag, to tell whether something read earlier is still
/// valid.
///
/// Changes are numbered by the change sequence. A change is announced before it becomes visible to
/// any reader and settled when it is visible to all; in between, a read may return old or new data.
struct InvalidationLog {
    private var lastChange: [CacheTag: Int64] = [:]
    /// Tags that are missing in `lastChange` may have changed up to here.
    private var floor: Int64 = 0
    /// Reads that start now see all changes up to here.
    private(set) var visible: Int64 = 0
    /// Above this limit single tags are forgotten; whatever is read in that time is not stored.
    static let limit = 4_096

    /// The change of these tags (`nil`: all) is about to become visible.
    mutating func announce(_ dependencies: [CacheTag]?, _ sequence: Int64) {
        guard let dependencies, lastChange.count + dependencies.count <= Self.limit else {
            lastChange.removeAll(keepingCapacity: true)
            floor = max(floor, sequence)
            guard let dependencies, dependencies.count <= Self.limit else { return }
            return announce(dependencies, sequence)
        }
        for dependency in dependencies {
            lastChange[dependency] = max(lastChange[dependency] ?? 0, sequence)
        }
    }

    /// All changes up to this one are visible, and there are no others: those announced above it
    /// were rolled back.
    mutating func settle(_ sequence: Int64, isFailure: Bool) {
        visible = max(visible, sequence)
        guard isFailure else { return }
        floor = min(floor, visible)
        lastChange = lastChange.mapValues { [visible] in min($0, visible) }
    }

    /// Whether something that depends on these tags, read at `stamp` or later, is still valid.
    func isCurrent(_ dependencies: [CacheTag], readAt stamp: Int64) -> Bool {
        floor <= stamp && dependencies.allSatisfy { lastChange[$0] ?? 0 <= stamp }
    }
}
