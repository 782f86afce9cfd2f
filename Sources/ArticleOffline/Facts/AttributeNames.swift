public import ArticleAPI

/// The attributes of a model, as its shape has them: their names, and those it cannot do without.
///
/// ```swift
/// extension Note: MergeableModel {
///     static let attributeNames = AttributeNames(shape)
/// }
/// ```
///
/// It does not change; use it anywhere.
public final class AttributeNames: Sendable {
    /// In the order of the shape, which may have 64.
    let names: [String]
    /// `"name":` of each attribute, as a codec writes it.
    let prefixes: [[UInt8]]
    let required: UInt64
    let all: UInt64
    private let places: [String: Int]

    public init<Model>(_ shape: ObjectCodec<Model>) {
        let properties = shape.properties
        precondition(properties.count <= 64, "a remembered model has at most 64 attributes")
        names = properties.map(\.name)
        prefixes = names.map { Array("\"\($0)\":".utf8) }
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        all = properties.isEmpty ? 0 : UInt64.max >> UInt64(64 - properties.count)
        required = properties.enumerated().reduce(0) { required, property in
            property.element.isRequired ? required | 1 << UInt64(property.offset) : required
        }
    }

    /// The place of an attribute; `nil` if there is none of this name.
    func place(of name: String) -> Int? { places[name] }

    /// The place of each of these attributes, which may be another app's.
    func places(of names: [String]) -> [Int?] { names.map { places[$0] } }
}
