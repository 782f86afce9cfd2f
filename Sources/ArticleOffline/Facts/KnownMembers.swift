public import ArticleAPI

/// The origin of the value of an attribute; the greater one is newer. See ``ModelFacts``.
public struct AttributeOrigin: Sendable, Hashable, Comparable {
    /// The model's revision; 0 if the response did not say.
    public var revision: Int
    /// The time at which the request was sent. It decides between equal revisions, for attributes
    /// that are not part of them, as the number of comments.
    public var seenAt: Timestamp

    public init(revision: Int, seenAt: Timestamp) {
        self.revision = revision
        self.seenAt = seenAt
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.revision == other.revision
            ? one.seenAt < other.seenAt : one.revision < other.revision
    }
}

/// The known attributes of a model, by their places in its shape: the content of `ModelFacts`
/// without the type of the model, so that merging is not generic code, which would take ten times
/// as long.
struct KnownMembers: Sendable, Hashable {
    /// Attributes of one origin, as a set of bits.
    struct Group: Sendable, Hashable {
        var origin: AttributeOrigin
        var places: UInt64
    }

    /// The JSON members of the attributes that have a value, one after another.
    private(set) var text: [UInt8]
    /// The end of the member of each attribute: that of the one before it if it has no value.
    private(set) var ends: [Int]
    /// The newest origin first. No attribute is in two of them, and none is empty.
    private(set) var groups: [Group]

    init(text: [UInt8], ends: [Int], groups: [Group]) {
        self.text = text
        self.ends = ends
        self.groups = groups.sorted { $0.origin > $1.origin }
    }

    /// Creates the knowledge of one response: the attributes that it has, and those that it would
    /// have.
    init(text: [UInt8], ends: [Int], requested: UInt64, _ origin: AttributeOrigin) {
        self.init(text: text, ends: ends, groups: [])
        groups = [Group(origin: origin, places: requested | valued)]
    }

    // MARK: Known attributes

    /// The attributes that are known.
    var places: UInt64 { groups.reduce(0) { $0 | $1.places } }

    /// The attributes that have a value.
    var valued: UInt64 {
        var (places, start): (UInt64, Int) = (0, 0)
        for (place, end) in ends.enumerated() {
            if start < end { places |= 1 << UInt64(place) }
            start = end
        }
        return places
    }

    func origin(of place: Int) -> AttributeOrigin? {
        groups.first { $0.places & 1 << UInt64(place) != 0 }?.origin
    }

    /// The attribute's name and value as JSON; empty if it has no value.
    func member(_ place: Int) -> ArraySlice<UInt8> {
        text[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
    }

    /// The known values as a JSON object, in the order of the shape.
    var json: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(text.count + ends.count + 2)
        json.append(UInt8(ascii: "{"))
        var start = 0
        for end in ends where end > start {
            if start > 0 { json.append(UInt8(ascii: ",")) }
            json += text[start..<end]
            start = end
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// The memory that it takes, in bytes.
    var size: Int {
        text.count + ends.count * MemoryLayout<Int>.stride
            + groups.count * MemoryLayout<Group>.stride
    }

    // MARK: Merging

    /// Takes those attributes that are newer in the others.
    ///
    /// - Returns: the attributes that have another value than before.
    mutating func merge(_ others: KnownMembers) -> UInt64 {
        let taken = newer(in: others)
        guard taken != 0 else { return 0 }
        let changed = changed(taken, in: others)
        if (valued | others.valued) & ~taken == 0 {
            (text, ends) = (others.text, others.ends)
        } else if changed != 0 {
            take(taken, from: others)
        }
        adopt(taken, from: others.groups)
        return changed
    }

    /// Takes the later times of a response that says the same of the same revision, which is what
    /// most responses say.
    ///
    /// - Returns: false if it may say something else; then nothing has changed.
    mutating func confirm(by others: KnownMembers) -> Bool {
        guard others.groups.count == 1, let theirs = others.groups.first else { return false }
        let isNewest = groups.contains { own in
            theirs.places & ~own.places == 0 && own.origin.revision == theirs.origin.revision
                && own.origin.seenAt <= theirs.origin.seenAt
        }
        guard isNewest, changed(theirs.places, in: others) == 0 else { return false }
        adopt(theirs.places, from: others.groups)
        return true
    }

    /// Takes the later time of a response to a request of these attributes that has the same
    /// values. See `confirm(by:)`.
    mutating func confirm(_ requested: UInt64, seenAt time: Timestamp) -> Bool {
        let theirs = requested | valued
        guard groups.count == 1, theirs & ~groups[0].places == 0, groups[0].origin.seenAt <= time
        else { return false }
        let origin = AttributeOrigin(revision: groups[0].origin.revision, seenAt: time)
        adopt(theirs, from: [Group(origin: origin, places: theirs)])
        return true
    }

    /// The attributes that are newer in the others.
    private func newer(in others: KnownMembers) -> UInt64 {
        let known = places
        var newer: UInt64 = 0
        for theirs in others.groups {
            newer |= theirs.places & ~known
            for own in groups where own.places & theirs.places != 0 {
                let both = own.places & theirs.places
                if own.origin < theirs.origin {
                    newer |= both
                } else if own.origin == theirs.origin {
                    // Two responses of the same time: whichever is merged first, the same one
                    // remains.
                    newer |= both.filter {
                        member($0).lexicographicallyPrecedes(others.member($0))
                    }
                }
            }
        }
        return newer
    }

    /// Those of these attributes that have another value in the others, or that are unknown here.
    private func changed(_ taken: UInt64, in others: KnownMembers) -> UInt64 {
        let unknown = taken & ~places
        if ends == others.ends, Self.areEqual(text[...], others.text[...]) { return unknown }
        return unknown | (taken & ~unknown).filter { !hasSameMember($0, as: others) }
    }

    /// Returns true if the attribute has the same value in the others, or none in both.
    private func hasSameMember(_ place: Int, as others: KnownMembers) -> Bool {
        Self.areEqual(member(place), others.member(place))
    }

    /// Compares eight bytes at a time, as `==` compares one.
    private static func areEqual(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        return one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                var index = 0
                // Invariant: the bytes before `index` are equal.
                while index + 8 <= one.count {
                    let word = one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    else { return false }
                    index += 8
                }
                while index < one.count, one[index] == other[index] { index += 1 }
                return index == one.count
            }
        }
    }

    private mutating func take(_ places: UInt64, from others: KnownMembers) {
        var (merged, ends): ([UInt8], [Int]) = ([], [])
        merged.reserveCapacity(text.count + others.text.count)
        ends.reserveCapacity(self.ends.count)
        for place in self.ends.indices {
            merged += places & 1 << UInt64(place) != 0 ? others.member(place) : member(place)
            ends.append(merged.count)
        }
        (text, self.ends) = (merged, ends)
    }

    /// Gives the attributes the origins that they have in the others.
    private mutating func adopt(_ taken: UInt64, from others: [Group]) {
        if groups.count == 1, others.count == 1, taken == groups[0].places,
            taken == others[0].places
        {
            groups = others
            return
        }
        var merged: [Group] = []
        for group in groups + others.map({ Group(origin: $0.origin, places: 0) }) {
            let theirs = others.first { $0.origin == group.origin }?.places ?? 0
            let places = group.places & ~taken | theirs & taken
            guard places != 0, !merged.contains(where: { $0.origin == group.origin }) else {
                continue
            }
            merged.append(Group(origin: group.origin, places: places))
        }
        groups = merged.sorted { $0.origin > $1.origin }
    }

    /// Without the attributes of some origins; `nil` if none are left.
    func without(_ isExcluded: (AttributeOrigin) -> Bool) -> KnownMembers? {
        let kept = groups.filter { !isExcluded($0.origin) }
        guard !kept.isEmpty else { return nil }
        guard kept.count < groups.count else { return self }
        let places = kept.reduce(0) { $0 | $1.places }
        var (text, ends): ([UInt8], [Int]) = ([], [])
        for place in self.ends.indices {
            if places & 1 << UInt64(place) != 0 { text += member(place) }
            ends.append(text.count)
        }
        return KnownMembers(text: text, ends: ends, groups: kept)
    }
}

extension UInt64 {
    /// Those of its bits, by their places, that meet the condition.
    func filter(_ isMeant: (Int) -> Bool) -> UInt64 {
        var (meant, rest): (UInt64, UInt64) = (0, self)
        while rest != 0 {
            let place = rest.trailingZeroBitCount
            if isMeant(place) { meant |= 1 << UInt64(place) }
            rest &= rest - 1
        }
        return meant
    }
}
