public import ArticleAPI

/// Attributes of a model.
///
/// ```swift
/// let inLists = AttributeSet<Article>.all.subtracting([.body, .bodyHTML, .commentCount])
/// let knowsBody = inLists.contains(.body)
/// ```
public struct AttributeSet<Model: StorableModel>: Sendable, Hashable {
    var bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// No attribute.
    public static var none: Self { Self(bits: 0) }

    /// Every attribute of the shape.
    public static var all: Self { Self(bits: Model.storedForm.all) }

    /// The attributes of responses with lists, unless a request selects others.
    public static var inLists: Self { Self(bits: Model.storedForm.inLists) }

    /// The attributes of these names; other names are ignored.
    init(named names: some Sequence<String>) {
        self.init(bits: names.reduce(0) { $0 | Self.bit($1) })
    }

    /// The attributes that a selection names as a whole. One that it names in part, as
    /// `authors.name`, is not known from a response that has this part only.
    public init(_ selection: FieldSelection) { self.init(named: selection.names + ["id"]) }

    public func contains(_ attribute: FieldSelection.Name) -> Bool {
        bits & Self.bit(attribute.rawValue) != 0
    }

    public func subtracting(_ attributes: FieldSelection) -> Self {
        Self(bits: bits & ~Self(named: attributes.names).bits)
    }

    public var isEmpty: Bool { bits == 0 }

    /// Returns true if it has all of the others.
    public func isSuperset(of others: Self) -> Bool { others.bits & ~bits == 0 }

    /// Returns true if it has any of the others.
    public func intersects(_ others: Self) -> Bool { bits & others.bits != 0 }

    /// In the order of the shape.
    public var names: [String] {
        Model.storedForm.names.enumerated()
            .filter { bits & 1 << UInt64($0.offset) != 0 }.map(\.element)
    }

    private static func bit(_ name: String) -> UInt64 {
        Model.storedForm.place(of: name).map { 1 << UInt64($0) } ?? 0
    }
}
