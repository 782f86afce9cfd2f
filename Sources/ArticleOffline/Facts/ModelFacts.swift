public import ArticleAPI
import ArticleClient

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
    private var content: Content

    private enum Content: Sendable {
        /// The facts of a response, whose members were not needed yet.
        case response(Response)
        /// Members, and a response that has the same values, so that these need not be decoded.
        case members(KnownMembers, Response?)
    }

    /// The model of a response. Its members are written when they are needed: most responses say
    /// what is known, which comparing models tells.
    private final class Response: Sendable {
        let model: Model
        let requested: UInt64
        let seenAt: Timestamp
        private let encoded = Locked<KnownMembers?>(nil)

        init(_ model: Model, _ requested: UInt64, seenAt time: Timestamp) {
            self.model = model
            self.requested = requested
            seenAt = time
        }

        var members: KnownMembers {
            encoded.withLock { encoded in
                if let encoded { return encoded }
                let (text, ends) = Model.shape.members(of: model, capacity: 1_024)
                let origin = Origin(
                    revision: Model.storedForm.revision(in: text, ends), seenAt: seenAt)
                let members = KnownMembers(text: text, ends: ends, requested: requested, origin)
                encoded = members
                return members
            }
        }
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
        id = model.id
        content = .response(Response(model, attributes.bits, seenAt: time))
    }

    init(_ id: Model.ID, _ members: KnownMembers) {
        self.id = id
        content = .members(members, nil)
    }

    /// The members of the known attributes.
    var members: KnownMembers {
        switch content {
        case .response(let response): response.members
        case .members(let members, _): members
        }
    }

    private var response: Response? {
        switch content {
        case .response(let response): response
        case .members(_, let response): response
        }
    }

    /// The model, if it need not be decoded.
    var decoded: Model? { response?.model }

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
        if let decoded { return decoded }
        guard Model.storedForm.required & ~members.valued == 0 else { return nil }
        return try? Model(mapping: members.json)
    }

    /// The known values as a JSON object, in the order of the shape.
    public var json: [UInt8] { members.json }

    /// The memory that the facts take, in bytes.
    public var size: Int {
        switch content {
        case .response(let response): response.members.size + response.members.text.count
        case .members(let members, let response):
            members.size + (response == nil ? 0 : members.text.count)
        }
    }

    /// Takes those attributes that are newer in the others.
    ///
    /// - Returns: the attributes that have another value than before.
    @discardableResult
    public mutating func merge(_ others: ModelFacts) -> AttributeSet<Model> {
        precondition(id == others.id, "facts of one model cannot be merged into those of another")
        var (merged, theirs) = (members, others.members)
        let changed = merged.merge(theirs)
        let isTheirs = merged.text == theirs.text && merged.ends == theirs.ends
        let same = isTheirs ? others.response : nil
        content = .members(merged, same ?? (changed == 0 ? response : nil))
        return AttributeSet(bits: changed)
    }

    /// Takes the later times of a response that says the same; returns false if it may say
    /// something else.
    mutating func confirm(by others: ModelFacts) -> Bool {
        var (confirmed, same) = (members, response)
        if case .response(let theirs) = others.content, let same,
            Self.areEqual(same.model, theirs.model),
            confirmed.confirm(theirs.requested, seenAt: theirs.seenAt)
        {
            content = .members(confirmed, same)
            return true
        }
        guard confirmed.confirm(by: others.members) else { return false }
        if confirmed.valued & ~others.members.places == 0 { same = others.response ?? same }
        content = .members(confirmed, same)
        return true
    }

    /// Returns false also for models whose type cannot be compared.
    private static func areEqual(_ one: Model, _ other: Model) -> Bool {
        guard let one = one as? Article, let other = other as? Article else { return false }
        return one == other
    }

    /// The facts without attributes of some origins; `nil` if none are left.
    func without(_ isExcluded: (Origin) -> Bool) -> ModelFacts? {
        members.without(isExcluded).map { ModelFacts(id, $0) }
    }

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
        let origin = Origin(revision: partial.revision ?? 0, seenAt: time)
        self.init(
            partial.id, KnownMembers(text: text, ends: ends, requested: known.bits, origin))
    }
}
