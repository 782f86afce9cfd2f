import ArticleAPI

/// The form in which a file keeps the known attributes of a model. It has no names of attributes:
/// these are kept once for all rows, so that an app with more attributes, or fewer, can read the
/// file.
extension ModelFacts {
    /// The names of the attributes to which the numbers in `stored` refer.
    static var storedNames: [String] { Model.storedForm.names }

    /// Returns this app's places of the attributes with these names; `nil` for those that it does
    /// not have.
    static func places(of names: [String]) -> [Int?] {
        Model.storedForm.places(of: names)
    }

    /// Returns true if facts that have the same values have the same bytes.
    func isStored(like others: ModelFacts) -> Bool { members.isStored(like: others.members) }

    /// The facts as bytes: the origins, then number, origin and length of each known attribute,
    /// then their values. The times of the origins are relative to `seenAt`, so that the bytes of
    /// facts with one origin stay the same when they are seen again.
    var stored: [UInt8] { members.stored(Model.storedForm, seenAt: seenAt) }

    /// Reads `stored`; `nil` if the bytes are damaged.
    ///
    /// An attribute that this app does not have is dropped, and one that the other app did not have
    /// is unknown.
    ///
    /// - Parameters:
    ///   - id: the id of the model.
    ///   - stored: the bytes.
    ///   - time: the time at which they were last seen, which is stored beside them.
    ///   - places: this app's places of the attributes of the one that stored the bytes.
    init?(_ id: Model.ID, stored: [UInt8], seenAt time: Timestamp, places: [Int?]) {
        guard let members = KnownMembers(stored, seenAt: time, places, Model.storedForm) else {
            return nil
        }
        self.init(id, members)
    }

    /// The JSON value of the attribute with this name; empty if it has none or is unknown.
    func value(of name: String) -> ArraySlice<UInt8> {
        let names = Model.storedForm
        return names.place(of: name).map { members.value($0, names) } ?? []
    }
}

extension KnownMembers {
    fileprivate func isStored(like others: KnownMembers) -> Bool {
        guard groups.count == 1, others.groups.count == 1 else { return false }
        return groups[0].places == others.groups[0].places
            && groups[0].origin.revision == others.groups[0].origin.revision
    }

    fileprivate func stored(_ names: StoredForm, seenAt time: Timestamp) -> [UInt8] {
        let known = places
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 4 * ends.count + 16 * groups.count)
        bytes.appendNumber(UInt64(groups.count))
        for group in groups {
            bytes.appendNumber(UInt64(clamping: group.origin.revision))
            let age = time.milliseconds &- group.origin.seenAt.milliseconds
            bytes.appendNumber(UInt64(bitPattern: age))
        }
        bytes.appendNumber(UInt64(known.nonzeroBitCount))
        let first = groups.first?.places ?? 0
        var start = 0
        for place in ends.indices {
            let end = ends[place]
            let (length, bit) = (end - start, UInt64(1) << UInt64(place))
            start = end
            guard known & bit != 0 else { continue }
            let origin = first & bit != 0 ? 0 : groups.firstIndex { $0.places & bit != 0 }
            bytes.appendNumber(UInt64(place))
            bytes.appendNumber(UInt64(origin ?? 0))
            bytes.appendNumber(UInt64(length == 0 ? 0 : length - names.prefixes[place].count))
        }
        start = 0
        for place in ends.indices where ends[place] > start {
            bytes += text[start + names.prefixes[place].count..<ends[place]]
            start = ends[place]
        }
        return bytes
    }

    fileprivate init?(
        _ stored: [UInt8], seenAt time: Timestamp, _ places: [Int?], _ names: StoredForm
    ) {
        var rest = stored[...]
        guard let origins = Self.origins(in: &rest, seenAt: time), let count = rest.takeNumber(),
            count <= UInt64(places.count)
        else { return nil }
        var groups = origins.map { Group(origin: $0, places: 0) }
        var lengths = [(place: Int?, length: Int)]()
        lengths.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let number = rest.takeNumber(), let origin = rest.takeNumber(),
                let length = rest.takeNumber(), number < UInt64(places.count),
                origin < UInt64(origins.count), length <= UInt64(rest.count)
            else { return nil }
            let place = places[Int(number)]
            lengths.append((place, Int(length)))
            guard let place else { continue }
            guard groups.allSatisfy({ $0.places & 1 << UInt64(place) == 0 }) else { return nil }
            groups[Int(origin)].places |= 1 << UInt64(place)
        }
        var values = [ArraySlice<UInt8>](repeating: [], count: names.names.count)
        for (place, length) in lengths {
            guard length <= rest.count else { return nil }
            if let place { values[place] = rest.prefix(length) }
            rest = rest.dropFirst(length)
        }
        guard rest.isEmpty else { return nil }
        var (text, ends): ([UInt8], [Int]) = ([], [])
        text.reserveCapacity(stored.count + 16 * values.count)
        ends.reserveCapacity(values.count)
        for (place, value) in values.enumerated() {
            if !value.isEmpty {
                text += names.prefixes[place]
                text += value
            }
            ends.append(text.count)
        }
        self.init(text: text, ends: ends, groups: groups.filter { $0.places != 0 })
    }

    private static func origins(
        in rest: inout ArraySlice<UInt8>, seenAt time: Timestamp
    ) -> [AttributeOrigin]? {
        guard let count = rest.takeNumber(), count <= UInt64(rest.count) else { return nil }
        var origins: [AttributeOrigin] = []
        for _ in 0..<count {
            guard let revision = rest.takeNumber(), let age = rest.takeNumber() else {
                return nil
            }
            let origin = AttributeOrigin(
                revision: Int(clamping: revision),
                seenAt: Timestamp(
                    milliseconds: time.milliseconds &- Int64(bitPattern: age)))
            guard !origins.contains(origin) else { return nil }
            origins.append(origin)
        }
        return origins
    }

    /// The JSON value of an attribute without its name; empty if it has no value.
    fileprivate func value(_ place: Int, _ names: StoredForm) -> ArraySlice<UInt8> {
        member(place).dropFirst(names.prefixes[place].count)
    }
}

extension [UInt8] {
    /// Seven bits in each byte, the lowest first (LEB128).
    mutating func appendNumber(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number from the beginning; `nil` if there is none.
    mutating func takeNumber() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        // Invariant: `number` has the bits below `shift`.
        while let byte = popFirst() {
            guard shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0 else { return number }
            shift += 7
        }
        return nil
    }
}
