/// Remembers when things changed last, as far as it takes to tell whether something that was read
/// at an earlier moment still stands.
///
/// Moments are numbers of the change sequence. A change is announced before anyone can see it and
/// settled when everyone does; in between, what is read may be old or new.
struct InvalidationLog {
    private var lastChange: [CacheTag: Int64] = [:]
    /// Things that `lastChange` does not name may have changed up to here.
    private var floor: Int64 = 0
    /// Everyone who begins to read now sees all changes up to here.
    private(set) var visible: Int64 = 0
    /// Beyond, single names are forgotten: what is read during such a time is not kept.
    static let limit = 4_096

    /// The change of these things, `nil` for anything, is about to become visible.
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

    /// All changes up to this one are visible, and there are no others: what was announced beyond
    /// did not come to be.
    mutating func settle(_ sequence: Int64, isFailure: Bool) {
        visible = max(visible, sequence)
        guard isFailure else { return }
        floor = min(floor, visible)
        lastChange = lastChange.mapValues { [visible] in min($0, visible) }
    }

    /// Whether something made of these things, as they were at `stamp` or later, still stands.
    func stands(_ dependencies: [CacheTag], readAt stamp: Int64) -> Bool {
        floor <= stamp && dependencies.allSatisfy { lastChange[$0] ?? 0 <= stamp }
    }
}
