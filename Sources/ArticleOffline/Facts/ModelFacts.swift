public import ArticleAPI

/// The known attributes of a model, from one response or from several.
///
/// An attribute has one of three states: it has a value; it is known to have none; or it is
/// unknown, because no response has carried it. Each known attribute has an origin, and merging
/// keeps the newer one of each: so the facts of a set of responses do not depend on the order in
/// which they are merged, merging them again changes nothing, and an older response that arrives
/// late overwrites nothing.
///
/// The attributes are those of the model's shape.
///
/// ```swift
/// let inLists = AttributeSet<Article>.all.subtracting([.body, .bodyHTML, .commentCount])
/// var facts = ModelFacts(article, knowing: .all, seenAt: time)
/// let changed = facts.merge(ModelFacts(listed, knowing: inLists, seenAt: time))
/// let whole = facts.model()
/// ```
public struct ModelFacts<Model: StorableModel>: Sendable, Hashable {
    public typealias Origin = AttributeOrigin

    public let id: Model.ID
    var members: KnownMembers {
        didSet { decoded = nil }
    }
    /// The model of which these are the facts, if they come from one response.
    private var decoded: DecodedModel?

    /// A model, which is too large to be copied with its facts.
    private final class DecodedModel: Sendable {
        let model: Model

        init(_ model: Model) { self.model = model }
    }

    /// Creates the facts of a response.
    ///
    /// - Parameters:
    ///   - model: the decoded model.
    ///   - attributes: the attributes requested. One of them that has no value is known to have
    ///     none; attributes that have a value are known in any case.
    ///   - time: the time at which the request was sent.
    @_specialize(where Model == Article)
    public init(_ model: Model, knowing attributes: AttributeSet<Model>, seenAt time: Timestamp) {
        let members = Model.shape.members(of: model, capacity: 1_024)
        let revision = Model.storedForm.revision(in: members.text, members.ends)
        self.init(
            model.id, members, knowing: attributes, Origin(revision: revision, seenAt: time))
        decoded = DecodedModel(model)
    }

    init(_ id: Model.ID, _ members: KnownMembers) {
        self.id = id
        self.members = members
    }

    private init(
        _ id: Model.ID, _ members: (text: [UInt8], ends: [Int]),
        knowing attributes: AttributeSet<Model>, _ origin: Origin
    ) {
        self.init(
            id,
            KnownMembers(
                text: members.text, ends: members.ends, requested: attributes.bits, origin))
    }

    // MARK: Known attributes

    /// The attributes that have a value or are known to have none.
    public var attributes: AttributeSet<Model> { AttributeSet(bits: members.places) }

    /// Returns the origin of the value of an attribute; `nil` if it is unknown or there is none of
    /// this name.
    public func origin(of name: String) -> Origin? {
        Model.storedForm.place(of: name).flatMap { members.origin(of: $0) }
    }

    /// The time at which the latest of the requests was sent from which an attribute comes.
    public var seenAt: Timestamp {
        members.groups.lazy.map(\.origin.seenAt).max() ?? Timestamp(milliseconds: 0)
    }

    /// The newest revision that an attribute comes from.
    public var revision: Int { members.groups.first?.origin.revision ?? 0 }

    /// The model; `nil` if an attribute that it cannot do without is unknown. Optional attributes
    /// that are unknown are `nil`: `attributes` tells the difference.
    public func model() -> Model? {
        if let decoded { return decoded.model }
        guard Model.storedForm.required & ~members.valued == 0 else { return nil }
        return try? Model(mapping: members.json)
    }

    /// The known values as a JSON object, in the order of the shape.
    public var json: [UInt8] { members.json }

    /// The memory that the facts take, in bytes.
    public var size: Int { members.size }

    /// Takes those attributes that are newer in the others.
    ///
    /// - Returns: the attributes that have another value than before.
    @discardableResult
    public mutating func merge(_ others: ModelFacts) -> AttributeSet<Model> {
        precondition(id == others.id, "facts of one model cannot be merged into those of another")
        return AttributeSet(bits: members.merge(others.members))
    }

    /// Takes the later times of a response that says the same; returns false if it may say
    /// something else.
    mutating func confirm(by others: ModelFacts) -> Bool { members.confirm(by: others.members) }

    /// The facts without attributes of some origins; `nil` if none are left.
    func without(_ isExcluded: (Origin) -> Bool) -> ModelFacts? {
        members.without(isExcluded).map { ModelFacts(id, $0) }
    }

    /// The model, if the facts come from one response and were not stored in between.
    var response: Model? { decoded?.model }

    /// The same facts without the decoded model, so that a cache has them once.
    var withoutResponse: ModelFacts { ModelFacts(id, members) }

    public static func == (one: Self, other: Self) -> Bool {
        one.id == other.id && one.members == other.members
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(members)
    }
}

// MARK: - Partial responses

extension ModelFacts where Model == Article {
    /// Creates the facts of a response with some attributes. Without `revision` among them, its
    /// values only fill in unknown attributes, or those from another such response.
    ///
    /// - Parameters:
    ///   - partial: the decoded article.
    ///   - fields: the fields requested.
    ///   - time: the time at which the request was sent.
    public init(_ partial: PartialArticle, _ fields: FieldSelection, seenAt time: Timestamp) {
        let known = AttributeSet<Article>(fields)
        let shape = PartialArticle.shape
        let (parts, partEnds) = shape.members(of: partial, capacity: 512)
        var (text, ends): ([UInt8], [Int]) = ([], [])
        for (place, property) in Article.shape.properties.enumerated() {
            if known.bits & 1 << UInt64(place) != 0, let part = shape.place(of: property.name) {
                text += parts[(part == 0 ? 0 : partEnds[part - 1])..<partEnds[part]]
            }
            ends.append(text.count)
        }
        self.init(
            partial.id, (text, ends), knowing: known,
            Origin(revision: partial.revision ?? 0, seenAt: time))
    }
}
