/// The type of a value in generated code.
indirect enum Shape: Hashable, Sendable {
    case boolean
    case integer(ClosedRange<Int>)
    case number
    case text(TextForm)
    /// Any JSON value.
    case anything
    case list(Shape)
    /// An object whose names are data.
    case map(Shape)
    /// A value or `null`.
    case nullable(Shape)
    /// A declared type.
    case named(TypeName)

    /// The shape without `null`.
    var present: Shape { if case .nullable(let inner) = self { inner.present } else { self } }

    /// The declared type within this shape, if there is one.
    var name: TypeName? {
        switch self {
        case .named(let name): name
        case .list(let inner), .map(let inner), .nullable(let inner): inner.name
        default: nil
        }
    }

    /// The declared type whose value would be stored within the value itself.
    var inlineName: TypeName? { if case .named(let name) = present { name } else { nil } }

    /// Any integer.
    static let anyInteger = Shape.integer(Int.min...Int.max)
}

/// The forms of strings that have types of their own.
enum TextForm: Hashable, Sendable, CaseIterable {
    /// RFC 3339.
    case timestamp
    /// `2026-01-31`.
    case day
    case url
    case uuid
    /// Base64.
    case bytes
    case string
}

/// The name of a declared type: that of the type within which it is declared, and its own.
struct TypeName: Hashable, Sendable, Comparable, CustomStringConvertible {
    var owner: String?
    var name: String

    init(_ name: String, in owner: String? = nil) {
        self.owner = owner
        self.name = name
    }

    /// `Forecast.Wind`.
    var description: String { owner.map { "\($0).\(name)" } ?? name }

    /// The name within the declaration of a top-level type.
    func text(in scope: String?) -> String { owner == scope || owner == nil ? name : description }

    static func < (left: TypeName, right: TypeName) -> Bool {
        left.description < right.description
    }
}
