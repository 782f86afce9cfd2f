import ArticleAPI

/// The form in which a file keeps what is known of a model. It names no attributes: their names are
/// kept once for all rows, so that an app with more attributes, or fewer, can read the file.
extension ModelFacts {
    /// The names of the attributes to which the numbers in `stored` refer.
    package static var storedNames: [String] { Model.shape.properties.map(\.name) }

    /// The facts as bytes: the origins, then number, origin and length of each known attribute,
    /// then their values.
    package var stored: [UInt8] {
        var kept: [Origin] = []
        var known: [(place: Int, origin: Int)] = []
        for (place, origin) in origins.enumerated() {
            guard let origin else { continue }
            let number = kept.lastIndex(of: origin) ?? kept.count
            if number == kept.count { kept.append(origin) }
            known.append((place, number))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 4 * known.count + 16 * kept.count)
        bytes.appendNumber(UInt64(kept.count))
        for origin in kept {
            bytes.appendNumber(UInt64(clamping: origin.revision))
            bytes.appendNumber(UInt64(bitPattern: origin.seenAt.milliseconds))
        }
        bytes.appendNumber(UInt64(known.count))
        for (place, origin) in known {
            bytes.appendNumber(UInt64(place))
            bytes.appendNumber(UInt64(origin))
            bytes.appendNumber(UInt64(value(place).count))
        }
        for (place, _) in known { bytes += value(place) }
        return bytes
    }

    /// What `stored` of an app with these names says; `nil` if the bytes are damaged.
    ///
    /// An attribute that this app does not have is dropped, and one that the other app did not have
    /// is unknown.
    package init?(_ id: Model.ID, stored: [UInt8], names: [String]) {
        var rest = stored[...]
        guard let origins = Self.origins(in: &rest), let count = rest.takeNumber(),
            count <= UInt64(names.count)
        else { return nil }
        let own = Model.shape.properties.count
        var found = [(origin: Origin, length: Int, place: Int?)]()
        for _ in 0..<count {
            guard let number = rest.takeNumber(), let origin = rest.takeNumber(),
                let length = rest.takeNumber(), number < UInt64(names.count),
                origin < UInt64(origins.count), length <= UInt64(rest.count)
            else { return nil }
            let place = Model.shape.place(of: names[Int(number)])
            found.append((origins[Int(origin)], Int(length), place))
        }
        var values = [(Origin, ArraySlice<UInt8>)?](repeating: nil, count: own)
        for (origin, length, place) in found {
            guard length <= rest.count else { return nil }
            if let place { values[place] = (origin, rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
        guard rest.isEmpty else { return nil }
        self.init(id, values)
    }

    private init(_ id: Model.ID, _ values: [(Origin, ArraySlice<UInt8>)?]) {
        var (text, ends): ([UInt8], [Int]) = ([], [])
        for (property, value) in zip(Model.shape.properties, values) {
            if let (_, bytes) = value, !bytes.isEmpty {
                text += Self.prefix(of: property.name)
                text += bytes
            }
            ends.append(text.count)
        }
        self.init(id: id, (text, ends), origins: values.map { $0?.0 })
    }

    private static func origins(in rest: inout ArraySlice<UInt8>) -> [Origin]? {
        guard let count = rest.takeNumber(), count <= UInt64(rest.count) else { return nil }
        var origins: [Origin] = []
        for _ in 0..<count {
            guard let revision = rest.takeNumber(), let time = rest.takeNumber() else {
                return nil
            }
            origins.append(
                Origin(
                    revision: Int(clamping: revision),
                    seenAt: Timestamp(milliseconds: Int64(bitPattern: time))))
        }
        return origins
    }

    /// The JSON value of an attribute without its name; empty if it has no value.
    private func value(_ place: Int) -> ArraySlice<UInt8> {
        let name = Model.shape.properties[place].name
        return member(place).dropFirst(name.utf8.count + 3)
    }

    /// The JSON value of the attribute with this name; empty if it has none or is unknown.
    package func value(of name: String) -> ArraySlice<UInt8> {
        Model.shape.place(of: name).map { value($0) } ?? []
    }

    /// `"name":`, as a codec writes it.
    private static func prefix(of name: String) -> [UInt8] { Array("\"\(name)\":".utf8) }

    /// What names the backend's history in the model's version, the `x1y2z3` of `7-x1y2z3`; `nil`
    /// if the version is unknown. Revisions of different histories cannot be compared.
    package var history: ArraySlice<UInt8>? {
        let version = value(of: "version")
        guard let dash = version.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        return version[(dash + 1)...].dropLast()
    }
}

extension ModelFacts {
    /// The facts without attributes of some origins; `nil` if none are left.
    package func without(_ isExcluded: (Origin) -> Bool) -> ModelFacts? {
        let places = origins.indices.filter { origins[$0].map { !isExcluded($0) } == true }
        guard !places.isEmpty else { return nil }
        guard places.count < attributes.names.count else { return self }
        var (text, ends): ([UInt8], [Int]) = ([], [])
        var kept = [Origin?](repeating: nil, count: origins.count)
        for place in origins.indices {
            if places.contains(place) {
                text += member(place)
                kept[place] = origins[place]
            }
            ends.append(text.count)
        }
        return ModelFacts(id: id, (text, ends), origins: kept)
    }
}

extension [UInt8] {
    /// Seven bits in each byte, the lowest first (LEB128).
    fileprivate mutating func appendNumber(_ number: UInt64) {
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
    fileprivate mutating func takeNumber() -> UInt64? {
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
