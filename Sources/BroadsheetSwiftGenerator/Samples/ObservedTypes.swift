import ArticleAPI

/// The types observed in samples for the values at one place.
struct ObservedTypes {
    private var nulls = 0
    private var booleans = 0
    private var integers = 0
    private var fractions = 0
    private var strings = 0
    private var arrays = 0
    private(set) var objects = 0
    /// The forms that all strings have.
    private var forms = Set(TextForm.allCases)
    /// The items of all arrays: empty or one.
    private var items: [ObservedTypes] = []
    /// The members of all objects, in the order in which they were first seen.
    private(set) var members: [Member] = []
    private var places: [String: Int] = [:]

    struct Member {
        let key: String
        /// The number of objects with a value that is not `null`.
        fileprivate(set) var observed = ObservedTypes()
        fileprivate(set) var count = 0
    }

    mutating func add(_ value: JSONValue) {
        switch value {
        case .null: nulls += 1
        case .boolean: booleans += 1
        case .number(let number):
            if number.integer.flatMap({ Int(exactly: $0) }) != nil {
                integers += 1
            } else {
                fractions += 1
            }
        case .string(let text):
            strings += 1
            forms = forms.filter { $0.includes(text) }
        case .array(let values):
            arrays += 1
            if items.isEmpty { items = [ObservedTypes()] }
            for value in values { items[0].add(value) }
        case .object(let members):
            objects += 1
            for member in members { add(member) }
        }
    }

    /// Returns the index of the member with this name in `members`, to which it is added if it is
    /// new.
    private mutating func place(of key: String) -> Int {
        if let place = places[key] { return place }
        places[key] = members.count
        members.append(Member(key: key))
        return members.count - 1
    }

    private mutating func add(_ member: JSONValue.Member) {
        let place = place(of: member.name)
        members[place].observed.add(member.value)
        members[place].count += 1
    }

    /// True if the value was `null` in a sample.
    var hasNull: Bool { nulls > 0 }

    /// Returns true if a member was absent or `null` in a sample.
    func isOptional(_ member: Member) -> Bool {
        member.count < objects || member.observed.hasNull
    }

    /// The kind of value in the samples.
    enum Kind {
        case scalar(Shape)
        case list(of: ObservedTypes)
        case map(of: ObservedTypes)
        case object
        /// Values of several kinds, or none.
        case anything
    }

    var kind: Kind {
        let numbers = integers + fractions
        let kinds = [booleans, numbers, strings, arrays, objects].count { $0 > 0 }
        guard kinds == 1 else { return .anything }
        if booleans > 0 { return .scalar(.boolean) }
        if numbers > 0 { return .scalar(fractions > 0 ? .number : .anyInteger) }
        if strings > 0 {
            let form = TextForm.allCases.first { forms.contains($0) } ?? .string
            return .scalar(.text(form))
        }
        if arrays > 0 { return .list(of: items.first ?? ObservedTypes()) }
        return areNamesData ? .map(of: values) : .object
    }

    /// True if the names of the members are not names of attributes, but data, such as ids.
    private var areNamesData: Bool {
        guard members.count <= GenerationLimits.properties else { return true }
        let areTooLong = members.contains { SwiftLiteral.fitting($0.key) == nil }
        return areTooLong || members.allSatisfy { Self.isData($0.key) }
    }

    private static func isData(_ key: String) -> Bool {
        key.utf8.allSatisfy { (48...57).contains($0) } || TextForm.uuid.includes(key)
            || TextForm.day.includes(key) || TextForm.timestamp.includes(key)
            || TextForm.url.includes(key)
    }

    /// The values of all members, as if they had one name.
    private var values: ObservedTypes {
        members.reduce(into: ObservedTypes()) { $0.merge($1.observed) }
    }

    private mutating func merge(_ other: ObservedTypes) {
        nulls += other.nulls
        booleans += other.booleans
        integers += other.integers
        fractions += other.fractions
        strings += other.strings
        arrays += other.arrays
        objects += other.objects
        forms.formIntersection(other.forms)
        if let others = other.items.first {
            if items.isEmpty { items = [ObservedTypes()] }
            items[0].merge(others)
        }
        for member in other.members {
            let place = place(of: member.key)
            members[place].observed.merge(member.observed)
            members[place].count += member.count
        }
    }
}

extension TextForm {
    /// Returns true if a text has this form.
    func includes(_ text: String) -> Bool {
        switch self {
        case .timestamp: return Timestamp(text) != nil
        case .day: return LocalDay(text) != nil
        case .url:
            return text.utf8.starts(with: "http".utf8) && WebAddress.fault(text) == nil
        case .uuid:
            return text.utf8.count == 36
                && text.utf8.enumerated().allSatisfy { index, byte in
                    [8, 13, 18, 23].contains(index)
                        ? byte == UInt8(ascii: "-")
                        : (48...57).contains(byte) || (97...102).contains(byte | 0x20)
                }
        case .bytes: return false
        case .string: return true
        }
    }
}
