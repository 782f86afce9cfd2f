public import ArticleAPI

/// The form in which a store keeps models of one type: the name of the type, and the names of its
/// attributes. See ``StorableModel``.
///
/// It does not change; use it anywhere.
///
/// ```swift
/// extension Podcast: StorableModel {
///     static let storedForm = StoredForm("Podcast", shape, omittedInLists: ["transcript"])
/// }
/// ```
public final class StoredForm: Sendable {
    /// The name of the type in files, which stays the same when the type is renamed.
    public let name: String
    /// The attributes in the order of the shape, which may have 64.
    let names: [String]
    /// `"name":` of each attribute, as a codec writes it.
    let prefixes: [[UInt8]]
    let required: UInt64
    let all: UInt64
    /// The attributes of responses that are lists.
    let inLists: UInt64
    private let places: [String: Int]
    /// The place of the attribute by which the states of a model are ordered, if it has one.
    private let revisionPlace: Int?

    /// - Parameters:
    ///   - name: the name of the type in files. No other type of the app has it, nor `Article`,
    ///     `Author`, `Comment`, `TagUsage`, `User` or `Bookmark`.
    ///   - shape: the shape of the models, with at most 64 attributes.
    ///   - omittedInLists: the attributes that responses with lists leave out: they are unknown
    ///     after such a response, and not known to have no value.
    ///   - revision: the attribute that is a number and is incremented by each change. Without
    ///     one, the state that was requested last is the newest.
    public init<Model>(
        _ name: String, _ shape: ObjectCodec<Model>, omittedInLists: [String] = [],
        revision: String = "revision"
    ) {
        let properties = shape.properties
        precondition(!name.isEmpty, "a stored type has a name")
        precondition(properties.count <= 64, "a stored model has at most 64 attributes")
        self.name = name
        names = properties.map(\.name)
        prefixes = names.map { Array("\"\($0)\":".utf8) }
        let places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        let all = properties.isEmpty ? 0 : UInt64.max >> UInt64(64 - properties.count)
        self.places = places
        self.all = all
        inLists = omittedInLists.reduce(all) { bits, name in
            places[name].map { bits & ~(1 << UInt64($0)) } ?? bits
        }
        required = properties.enumerated().reduce(0) { required, property in
            property.element.isRequired ? required | 1 << UInt64(property.offset) : required
        }
        revisionPlace = places[revision]
    }

    /// The place of an attribute; `nil` if there is none of this name.
    func place(of name: String) -> Int? { places[name] }

    /// The place of each of these attributes, which may be another app's.
    func places(of names: [String]) -> [Int?] { names.map { places[$0] } }

    /// The revision in the members of a model; 0 if there is none.
    func revision(in members: [UInt8], _ ends: [Int]) -> Int {
        guard let place = revisionPlace else { return 0 }
        let start = place == 0 ? 0 : ends[place - 1]
        let digits = members[start..<ends[place]].dropFirst(prefixes[place].count)
        return Int(String(decoding: digits, as: UTF8.self)).map { max(0, $0) } ?? 0
    }
}
