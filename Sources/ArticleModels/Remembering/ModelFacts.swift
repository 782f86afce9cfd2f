public import ArticleAPI

/// A model whose responses can be merged into what is known of it.
///
/// Its attributes belong to a revision, of which there is one sequence for each model. A value; use
/// it anywhere. See ``ModelFacts``.
public protocol RememberedModel: JSONModel, Identifiable where ID: Hashable & Sendable {
    /// Incremented by each change of the model.
    var revision: Int { get }
}

extension Article: RememberedModel {}
extension Author: RememberedModel {}
extension Comment: RememberedModel {}

/// What is known of a model, from one response or from several.
///
/// An attribute has one of three states: it has a value; it is known to have none; or it is
/// unknown, because no response has carried it. Each known attribute has an origin, and merging
/// keeps the newer one of each: so the facts of a set of responses do not depend on the order in
/// which they are merged, merging them again changes nothing, and an older response that arrives
/// late overwrites nothing.
///
/// The attributes are those of the model's shape. A value; use it anywhere.
///
/// ```swift
/// let inLists = AttributeSet<Article>.all.subtracting(["body", "bodyHTML", "commentCount"])
/// var facts = ModelFacts(article, knowing: .all, seenAt: time)
/// let changed = facts.merge(ModelFacts(listed, knowing: inLists, seenAt: time))
/// let whole = facts.model()
/// ```
public struct ModelFacts<Model: RememberedModel>: Sendable, Hashable {
    /// Where the value of an attribute comes from; the greater one is newer.
    public struct Origin: Sendable, Hashable, Comparable {
        /// The model's revision; 0 if the response did not say.
        public var revision: Int
        /// When the request was sent. It decides where revisions are equal, for attributes that are
        /// not part of them, as the number of comments.
        public var seenAt: Timestamp

        public init(revision: Int, seenAt: Timestamp) {
            self.revision = revision
            self.seenAt = seenAt
        }

        public static func < (one: Self, other: Self) -> Bool {
            (one.revision, one.seenAt) < (other.revision, other.seenAt)
        }
    }

    public let id: Model.ID
    /// The JSON members of the attributes that have a value, one after another.
    private(set) var text: [UInt8]
    /// Where the member of each attribute ends: where the one before it does if it has no value.
    private(set) var ends: [Int]
    /// `nil` for an attribute that is unknown.
    private(set) var origins: [Origin?]

    /// What a response says.
    ///
    /// - Parameters:
    ///   - model: as it was decoded.
    ///   - attributes: what was requested. One of them that has no value is known to have none;
    ///     attributes that have a value are known in any case.
    ///   - time: when the request was sent.
    public init(_ model: Model, knowing attributes: AttributeSet<Model>, seenAt time: Timestamp) {
        self.init(
            id: model.id, Model.shape.members(of: model, capacity: 1_024), knowing: attributes,
            Origin(revision: model.revision, seenAt: time))
    }

    /// What was stored.
    init(id: Model.ID, _ members: (text: [UInt8], ends: [Int]), origins: [Origin?]) {
        self.id = id
        (text, ends) = members
        self.origins = origins
    }

    private init(
        id: Model.ID, _ members: (text: [UInt8], ends: [Int]),
        knowing attributes: AttributeSet<Model>, _ origin: Origin
    ) {
        self.id = id
        (text, ends) = members
        origins = Array(repeating: nil, count: ends.count)
        for place in ends.indices where attributes.contains(place) || hasValue(place) {
            origins[place] = origin
        }
    }

    // MARK: What is known

    /// The attributes that have a value or are known to have none.
    public var attributes: AttributeSet<Model> {
        var known = AttributeSet<Model>.none
        for (place, origin) in origins.enumerated() where origin != nil { known.insert(place) }
        return known
    }

    /// Where the value of an attribute comes from; `nil` if it is unknown or there is none of this
    /// name.
    public func origin(of name: String) -> Origin? {
        Model.shape.place(of: name).flatMap { origins[$0] }
    }

    /// When the latest of the requests was sent from which an attribute comes.
    public var seenAt: Timestamp {
        origins.lazy.compactMap { $0?.seenAt }.max() ?? Timestamp(milliseconds: 0)
    }

    /// The newest revision that an attribute comes from.
    public var revision: Int { origins.lazy.compactMap { $0?.revision }.max() ?? 0 }

    /// The model; `nil` if an attribute that it cannot do without is unknown. Optional attributes
    /// that are unknown are `nil`: `attributes` tells the difference.
    public func model() -> Model? {
        for (place, property) in Model.shape.properties.enumerated()
        where property.isRequired && !hasValue(place) { return nil }
        return try? Model(mapping: json)
    }

    /// The known values as a JSON object, in the order of the shape.
    public var json: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(text.count + ends.count + 2)
        json.append(UInt8(ascii: "{"))
        for place in ends.indices where hasValue(place) {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json += member(place)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// The memory that the facts take, in bytes.
    public var size: Int {
        text.count + ends.count * (MemoryLayout<Int>.stride + MemoryLayout<Origin?>.stride)
    }

    private func start(_ place: Int) -> Int { place == 0 ? 0 : ends[place - 1] }

    private func hasValue(_ place: Int) -> Bool { start(place) < ends[place] }

    /// The attribute's name and value as JSON; empty if it has no value.
    func member(_ place: Int) -> ArraySlice<UInt8> { text[start(place)..<ends[place]] }

    // MARK: Merging

    /// Takes those attributes that are newer in the others.
    ///
    /// - Returns: the attributes that have another value than before.
    @discardableResult
    public mutating func merge(_ others: ModelFacts) -> AttributeSet<Model> {
        precondition(id == others.id, "facts of one model cannot be merged into those of another")
        var taken = AttributeSet<Model>.none
        var changed = AttributeSet<Model>.none
        var takesText = true
        for place in ends.indices {
            guard isOlder(place, than: others) else {
                if hasValue(place) || others.hasValue(place) { takesText = false }
                continue
            }
            taken.insert(place)
            if origins[place] == nil || member(place) != others.member(place) {
                changed.insert(place)
            }
        }
        guard !taken.isEmpty else { return .none }
        if takesText {
            (text, ends) = (others.text, others.ends)
        } else if !changed.isEmpty {
            take(taken, from: others)
        }
        for place in ends.indices where taken.contains(place) {
            origins[place] = others.origins[place]
        }
        return changed
    }

    private func isOlder(_ place: Int, than others: ModelFacts) -> Bool {
        guard let theirs = others.origins[place] else { return false }
        guard let own = origins[place], own >= theirs else { return true }
        // Two responses of the same time: whichever is merged first, the same one remains.
        return own == theirs && member(place).lexicographicallyPrecedes(others.member(place))
    }

    private mutating func take(_ places: AttributeSet<Model>, from others: ModelFacts) {
        var (merged, ends): ([UInt8], [Int]) = ([], [])
        merged.reserveCapacity(text.count + others.text.count)
        ends.reserveCapacity(self.ends.count)
        for place in self.ends.indices {
            merged += places.contains(place) ? others.member(place) : member(place)
            ends.append(merged.count)
        }
        (text, self.ends) = (merged, ends)
    }
}

// MARK: - Partial responses

extension ModelFacts where Model == Article {
    /// What a response with some attributes says. Without `revision` among them, its values only
    /// fill in what is unknown, or what came from another such response.
    ///
    /// - Parameters:
    ///   - partial: as it was decoded.
    ///   - fields: what was requested.
    ///   - time: when the request was sent.
    public init(_ partial: PartialArticle, _ fields: FieldSelection, seenAt time: Timestamp) {
        let known = AttributeSet<Article>(fields)
        let shape = PartialArticle.shape
        let (parts, partEnds) = shape.members(of: partial, capacity: 512)
        var (text, ends): ([UInt8], [Int]) = ([], [])
        for (place, property) in Article.shape.properties.enumerated() {
            if known.contains(place), let part = shape.place(of: property.name) {
                text += parts[(part == 0 ? 0 : partEnds[part - 1])..<partEnds[part]]
            }
            ends.append(text.count)
        }
        self.init(
            id: partial.id, (text, ends), knowing: known,
            Origin(revision: partial.revision ?? 0, seenAt: time))
    }
}
