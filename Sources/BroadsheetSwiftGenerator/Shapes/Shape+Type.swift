/// The style in which models are read and written.
enum ModelStyle: Sendable {
    /// By the mappers of `ArticleAPI`.
    case mapped
    /// By Foundation's coders.
    case codable
}

extension Shape {
    /// Returns the Swift type of the values.
    ///
    /// - Parameters:
    ///   - style: decides which types represent times and JSON of any kind.
    ///   - scope: the top-level type in whose declaration the type is named; `nil` outside of one.
    func type(_ style: ModelStyle, in scope: String?) -> String {
        switch self {
        case .boolean: "Bool"
        case .integer: "Int"
        case .number: "Double"
        case .text(let form): form.type(style)
        case .anything: style == .mapped ? "JSONValue" : "AnyJSON"
        case .list(let item): "[\(item.type(style, in: scope))]"
        case .map(let value): "[String: \(value.type(style, in: scope))]"
        case .nullable(let inner): "\(inner.present.type(style, in: scope))?"
        case .named(let name): name.text(in: scope)
        }
    }
}

extension TextForm {
    fileprivate func type(_ style: ModelStyle) -> String {
        switch self {
        case .timestamp: style == .mapped ? "Timestamp" : "Date"
        case .day: style == .mapped ? "LocalDay" : "String"
        case .url: "URL"
        case .uuid: "UUID"
        case .bytes: "Data"
        case .string: "String"
        }
    }

    /// Returns true if the type is one of Foundation's.
    func needsFoundation(_ style: ModelStyle) -> Bool {
        switch self {
        case .url, .uuid, .bytes: true
        case .timestamp: style == .codable
        case .day, .string: false
        }
    }
}

extension Shape {
    /// Returns true if the shape uses a type of Foundation.
    func needsFoundation(_ style: ModelStyle) -> Bool {
        switch self {
        case .text(let form): form.needsFoundation(style)
        case .list(let inner), .map(let inner), .nullable(let inner):
            inner.needsFoundation(style)
        case .boolean, .integer, .number, .anything, .named: false
        }
    }

    /// Returns true if this shape, or one within it, is the given one.
    func contains(_ other: Shape) -> Bool {
        switch self {
        case other: true
        case .list(let inner), .map(let inner), .nullable(let inner): inner.contains(other)
        default: false
        }
    }
}

extension Property {
    /// The type without the optionality that follows from the attribute's presence.
    func valueType(_ style: ModelStyle, in scope: String?) -> String {
        let type = shape.present.type(style, in: scope)
        return isIndirect ? "Indirect<\(type)>" : type
    }

    /// The type of the stored property.
    func type(_ style: ModelStyle, in scope: String?) -> String {
        let value = valueType(style, in: scope)
        if presence == .change { return "Change<\(value)>" }
        return isOptional ? value + "?" : value
    }

    /// True if every declaration with the name and the type fits on a line.
    var fits: Bool {
        let type = valueType(.mapped, in: nil)
        return name.utf8.count + type.utf8.count <= 2 * SwiftName.limit
    }
}
