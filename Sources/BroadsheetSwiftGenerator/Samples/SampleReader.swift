import ArticleAPI

/// Infers types from samples of JSON.
struct SampleReader {
    /// The type of the samples.
    let root: String
    private var scope: NameScope
    /// The nested types, in the order in which the samples contain them.
    private(set) var nested: [Declaration] = []
    /// True if there is a value of any kind.
    private(set) var usesAnything = false

    /// - Parameters:
    ///   - root: the name of the type.
    ///   - reserved: the names of types that are declared for other purposes.
    init(root: String, reserved: [String]) {
        self.root = root
        scope = NameScope(Set(reserved + [root]))
    }

    /// The types of the samples, beginning with the root; `nil` if they contain no objects.
    mutating func declarations(
        of observed: ObservedTypes, comment: String
    ) throws(GenerationError) -> (shape: Shape, root: Declaration)? {
        switch observed.kind {
        case .object:
            let name = TypeName(root)
            let properties = try properties(of: observed, in: root)
            let declaration = Declaration(
                name: name, comment: comment, content: .object(properties))
            return (.named(name), declaration)
        case .list(let items):
            return try declarations(of: items, comment: comment).map { (.list($0.shape), $0.root) }
        case .map(let values):
            return try declarations(of: values, comment: comment).map { (.map($0.shape), $0.root) }
        case .scalar, .anything: return nil
        }
    }

    private mutating func properties(
        of observed: ObservedTypes, in owner: String
    ) throws(GenerationError) -> [Property] {
        var names = NameScope()
        var properties: [Property] = []
        for member in observed.members {
            let name = names.claim(SwiftName.property(member.key))
            var property = Property(
                key: member.key, name: name,
                shape: try shape(of: member.observed, named: member.key, in: owner),
                presence: observed.isOptional(member) ? .optional : .required)
            if !property.fits { property.shape = anything() }
            properties.append(property)
        }
        return properties
    }

    private mutating func anything() -> Shape {
        usesAnything = true
        return .anything
    }

    private mutating func shape(
        of observed: ObservedTypes, named key: String, in owner: String, isItem: Bool = false
    ) throws(GenerationError) -> Shape {
        switch observed.kind {
        case .scalar(let shape): return shape
        case .anything: return anything()
        case .list(let items):
            return .list(
                try nullable(items, try shape(of: items, named: key, in: owner, isItem: true)))
        case .map(let values):
            return .map(
                try nullable(values, try shape(of: values, named: key, in: owner, isItem: true)))
        case .object:
            let name = isItem ? SwiftName.singularType(key) : SwiftName.type(key)
            return .named(try declare(observed, name, key: key, in: owner))
        }
    }

    private func nullable(_ observed: ObservedTypes, _ shape: Shape) throws(GenerationError)
        -> Shape
    {
        observed.hasNull && shape != .anything ? .nullable(shape) : shape
    }

    /// Declares a nested type, or finds an equal one of the same name.
    private mutating func declare(
        _ observed: ObservedTypes, _ wanted: String, key: String, in owner: String
    ) throws(GenerationError) -> TypeName {
        // The place of the type is before those of the types within it.
        let place = nested.count
        let qualified = scope.contains(wanted) ? SwiftName.type("\(owner) \(wanted)") : wanted
        let name = TypeName(scope.claim(qualified), in: root)
        guard nested.count < GenerationLimits.types else {
            throw .tooLarge("the samples have more than \(GenerationLimits.types) types")
        }
        let comment = "The value of `\(key)` in a `\(owner)`."
        nested.append(Declaration(name: name, comment: comment, content: .object([])))
        let content = Declaration.Content.object(try properties(of: observed, in: name.name))
        nested[place].content = content
        return twin(of: place, wanted) ?? name
    }

    /// An equal type that was declared before with the name that this one would have had. The new
    /// one is removed.
    private mutating func twin(of place: Int, _ wanted: String) -> TypeName? {
        // A type that contains others would have to be compared with them.
        guard place == nested.count - 1,
            let twin = nested[..<place].first(where: {
                $0.name.name == wanted && $0.content == nested[place].content
            })
        else { return nil }
        nested.removeLast()
        return twin.name
    }
}
