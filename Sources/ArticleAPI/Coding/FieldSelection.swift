/// The attributes that a client asks for (`fields=id,title,authors.name`).
///
/// Order and repetition do not matter: equal selections give the same bytes. The `id` is always
/// included.
///
/// ```swift
/// let fields: FieldSelection = [.title, .authors(.name)]
/// let needsAuthors = fields.contains("authors")
/// ```
///
/// Attributes of one's own models are text: `["title", "colour"]`.
public struct FieldSelection: Sendable, Hashable {
    /// Sorted and unique; `authors.name` is omitted if `authors` is selected.
    public let names: [String]

    /// - Parameter names: Attributes; nested ones are dotted.
    public init(_ names: some Sequence<String>) {
        let all = Set(names)
        guard all.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) }) else {
            self.names = all.sorted()
            return
        }
        self.names = all.filter { name in
            guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
            return !all.contains(String(name[..<dot]))
        }.sorted()
    }

    /// The name of an attribute; the names of the contract are constants.
    public struct Name: Sendable, Hashable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(stringLiteral name: String) { rawValue = name }

        init(inside outer: String, _ inner: Name) {
            rawValue = "\(outer).\(inner.rawValue)"
        }
    }

    /// Returns true if the attribute, or an attribute inside it, is selected.
    public func contains(_ name: String) -> Bool {
        names.contains { $0 == name || Self.isInside($0, name) }
    }

    /// Returns true if a dotted name begins with the other one.
    private static func isInside(_ name: String, _ outer: String) -> Bool {
        let (name, outer) = (name.utf8, outer.utf8)
        return name.count > outer.count && name.starts(with: outer)
            && name.dropFirst(outer.count).first == UInt8(ascii: ".")
    }

    /// The selection inside an attribute; `nil` for all of it.
    func inside(_ name: String) -> FieldSelection? {
        if names.contains(name) { return nil }
        return FieldSelection(
            names.lazy.filter { Self.isInside($0, name) }.map {
                String(Substring($0.utf8.dropFirst(name.utf8.count + 1)))
            })
    }
}

extension FieldSelection: ExpressibleByArrayLiteral {
    public init(arrayLiteral names: Name...) { self.init(names.map(\.rawValue)) }
}

/// The name of an attribute and of those inside it; at most two levels can be selected. See
/// ``FieldSelection``.
package struct FieldNames: Sendable, Hashable {
    package let name: String
    package let inner: [String]
}

/// A selection prepared for one object codec: which attributes to write, and which parts of them.
package struct FieldPlan: Sendable {
    enum Choice: Sendable {
        case skip, all
        case some(FieldPlan)
    }

    /// One choice for each attribute, in the codec's order.
    let choices: [Choice]
    /// One bit for each of the first 64 attributes that is omitted.
    private let skipped: UInt64

    init(choices: [Choice]) {
        self.choices = choices
        skipped = choices.enumerated().reduce(0) { bits, choice in
            if case .skip = choice.element { bits | 1 << UInt64(choice.offset) } else { bits }
        }
    }

    /// Returns true if the attribute at this index, one of the first 64, is omitted.
    func leavesOut(_ place: Int) -> Bool { skipped & 1 << UInt64(place) != 0 }

    /// The plan for the inside of an attribute; `nil` for all of it.
    func inside(_ place: Int) -> FieldPlan? {
        if case .some(let plan) = choices[place] { plan } else { nil }
    }
}

extension TextCodec where Value == FieldSelection {
    /// A comma-separated selection of attributes.
    public static func fields<Item>(of format: JSONCodec<Item>) -> TextCodec {
        let names = format.fields.flatMap { field in
            [field.name] + field.inner.map { "\(field.name).\($0)" }
        }
        return TextCodec(
            "a list of names separated by commas",
            .text(TextSchema(.fieldNames(names), length: 1...2000)),
            parse: { text in
                guard text.utf8.count <= 2000 else { return nil }
                return FieldSelection(
                    text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                        .map { String(Substring($0)) })
            },
            print: { $0.names.joined(separator: ",") },
            fault: { selection in
                let unknown = selection.names.filter { !names.contains($0) }
                guard let name = unknown.first else {
                    return selection.names.isEmpty ? "does not name any attribute" : nil
                }
                let known = names.joined(separator: ", ")
                return "contains the unknown attribute `\(name.excerpt)`; known ones are \(known)"
            })
    }
}
