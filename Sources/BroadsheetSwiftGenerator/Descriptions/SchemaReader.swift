import ArticleAPI

/// Reads the schemas of a description as shapes, and declares the types that they need.
///
/// Components that become types are read one after another, and not within each other, so that
/// references may form circles and chains of any length.
struct SchemaReader {
    let document: Document
    let facts: SchemaFacts
    /// The names of all top-level types.
    private(set) var topNames = NameScope()
    private var componentTypes: [String: TypeName] = [:]
    private var scopes: [String: NameScope] = [:]
    /// The types in the order in which they were declared, without those that could not be read.
    private(set) var declarations: [TypeName: Declaration] = [:]
    private(set) var order: [TypeName] = []
    private(set) var choices: Set<TypeName> = []
    /// Components that still have to be read.
    private var waiting: [String] = []
    private var shapes: [String: Shape] = [:]
    private var inProgress: Set<String> = []
    /// The known facts about each component that was read.
    private(set) var contexts: [String: Context] = [:]
    /// The context of the operation or component being read.
    var context = Context()
    private(set) var hasTooManyTypes = false
    /// The places that have `xml`.
    private(set) var xml: [SchemaNode] = []

    /// The findings made while an operation or a component was read.
    struct Context {
        /// The reasons why it cannot be expressed.
        var faults: [Finding] = []
        /// The components to which it refers.
        var references: Set<String> = []
    }

    /// The place and purpose of an undeclared type.
    struct TypeHint {
        /// The top-level type within which it will be declared.
        let owner: String
        /// The name of the value.
        let key: String
        var isItem = false

        var typeName: String { isItem ? SwiftName.singularType(key) : SwiftName.type(key) }
        var item: TypeHint { TypeHint(owner: owner, key: key, isItem: true) }
    }

    init(_ document: Document) {
        self.document = document
        facts = SchemaFacts(document: document)
        for name in document.schemaNames.prefix(GenerationLimits.types) {
            guard let place = document.schema(name), let kind = facts.kind(place) else { continue }
            let type = TypeName(topNames.claim(SwiftName.type(name)))
            componentTypes[name] = type
            if kind == .choice { choices.insert(type) }
        }
    }

    mutating func fault(_ place: SchemaNode, _ message: String) {
        guard context.faults.count < GenerationLimits.findings else { return }
        let finding = place.finding(message)
        if !context.faults.contains(finding) { context.faults.append(finding) }
    }

    /// The name of a type that is declared at the top level, besides the components.
    mutating func claimTopName(_ name: String) -> String { topNames.claim(name) }

    /// Reads the components that were referred to.
    mutating func readWaiting() {
        // Invariant: the components before the first one that waits have been read.
        while let name = waiting.popLast() {
            guard contexts[name] == nil, let type = componentTypes[name],
                let place = document.schema(name)
            else { continue }
            let outer = context
            context = Context()
            declare(place, type, owner: type.name)
            contexts[name] = context
            context = outer
        }
    }

    /// The type of a component; `nil` if it needs none.
    func type(ofComponent name: String) -> TypeName? { componentTypes[name] }

    // MARK: References

    private mutating func reference(_ place: SchemaNode, _ hint: TypeHint, _ depth: Int) -> Shape {
        let text = place.text("$ref") ?? ""
        guard let name = document.component(text, in: "schemas") else {
            guard let target = document.target(text, in: "schemas") else {
                let isRemote = !text.hasPrefix("#")
                fault(
                    place["$ref"] ?? place,
                    isRemote
                        ? "references to other documents are not supported"
                        : "the reference leads to no schema of the components")
                return .anything
            }
            return shape(target, hint, depth + 1)
        }
        context.references.insert(name)
        if let type = componentTypes[name] {
            if contexts[name] == nil { waiting.append(name) }
            let isNullable = document.schema(name).map(facts.isNullable) ?? false
            return isNullable ? .nullable(.named(type)) : .named(type)
        }
        if let shape = shapes[name] { return shape }
        guard inProgress.insert(name).inserted, let target = document.schema(name) else {
            fault(place["$ref"] ?? place, "the schema refers only to itself")
            return .anything
        }
        let outer = context
        context = Context()
        let shape = shape(target, hint, depth + 1)
        contexts[name] = context
        context = outer
        inProgress.remove(name)
        // A type that was declared on the way belongs to the first user, who has its name.
        shapes[name] = shape
        return shape
    }

    // MARK: Schemas

    /// Returns the shape of a schema's values. Unsupported parts become faults of the context.
    mutating func shape(_ place: SchemaNode, _ hint: TypeHint, _ depth: Int = 0) -> Shape {
        guard depth < GenerationLimits.depth else {
            fault(place, "schemas nested deeper than \(GenerationLimits.depth) levels")
            return .anything
        }
        switch place.value {
        case .boolean(true): return .anything
        case .object: break
        default:
            fault(place, "is not a schema that has values")
            return .anything
        }
        if place["$ref"] != nil { return reference(place, hint, depth) }
        checkKeywords(place)
        let shape = present(place, hint, depth)
        guard facts.isNullable(place), shape != .anything else { return shape }
        return .nullable(shape.present)
    }

    private mutating func checkKeywords(_ place: SchemaNode) {
        let unsupported = [
            "not", "if", "then", "else", "patternProperties", "dependentSchemas", "prefixItems",
            "unevaluatedItems", "$dynamicRef", "$recursiveRef",
        ]
        for member in place.members {
            if unsupported.contains(member.name) {
                fault(member.place, "`\(member.name)` is not supported")
            }
            if member.name == "xml" { xml.append(member.place) }
        }
        if let discriminator = place["discriminator"], place["oneOf"] == nil, place["anyOf"] == nil
        {
            fault(discriminator, "a discriminator without `oneOf` is not supported")
        }
    }

    private mutating func present(_ place: SchemaNode, _ hint: TypeHint, _ depth: Int) -> Shape {
        if facts.kind(place) != nil { return .named(declareNested(place, hint, depth)) }
        let alternatives = facts.alternatives(place)
        if alternatives.count == 1, place["properties"] == nil {
            return shape(alternatives[0], hint, depth + 1)
        }
        if alternatives.count > 1 {
            return facts.profile(alternatives[0]).kind == .text ? .text(.string) : .number
        }
        if let wrapped = facts.wrapped(place) { return shape(wrapped, hint, depth + 1) }
        let types = facts.types(place)
        guard let type = types.contains("number") ? "number" : types.first else { return .anything }
        switch type {
        case "boolean": return .boolean
        case "integer": return .integer(range(place))
        case "number": return .number
        case "string": return .text(form(place))
        case "array":
            guard let items = place["items"] else { return .list(.anything) }
            return .list(shape(items, hint.item, depth + 1))
        case "object": return map(place, hint, depth)
        default:
            fault(place["type"] ?? place, "is not a type of JSON")
            return .anything
        }
    }

    /// An object without properties.
    private mutating func map(_ place: SchemaNode, _ hint: TypeHint, _ depth: Int) -> Shape {
        guard let values = place["additionalProperties"], case .object = values.value else {
            return .map(.anything)
        }
        return .map(shape(values, hint.item, depth + 1))
    }

    private func range(_ place: SchemaNode) -> ClosedRange<Int> {
        let low = place["minimum"]?.integer ?? .min
        let high = place["maximum"]?.integer ?? .max
        return low <= high ? low...high : .min ... .max
    }

    private func form(_ place: SchemaNode) -> TextForm {
        if place.text("contentEncoding") == "base64" { return .bytes }
        switch place.text("format") {
        case "date-time": return .timestamp
        case "date": return .day
        case "uri", "url", "uri-reference": return .url
        case "uuid": return .uuid
        case "byte": return .bytes
        default: return .string
        }
    }

    // MARK: Declarations

    private mutating func declareNested(_ place: SchemaNode, _ hint: TypeHint, _ depth: Int)
        -> TypeName
    {
        let name = claimNested(hint.typeName, in: hint.owner)
        if facts.kind(place) == .choice { choices.insert(name) }
        declare(place, name, owner: hint.owner, depth)
        return name
    }

    /// A name that is free within a top-level type, and not that of another top-level type.
    mutating func claimNested(_ wanted: String, in owner: String) -> TypeName {
        var scope = scopes[owner] ?? NameScope()
        var name = scope.claim(wanted)
        // Invariant: `name` is free within the owner.
        while topNames.contains(name) { name = scope.claim(wanted) }
        scopes[owner] = scope
        return TypeName(name, in: owner)
    }

    private mutating func declare(
        _ place: SchemaNode, _ name: TypeName, owner: String, _ depth: Int = 0
    ) {
        guard declarations.count < GenerationLimits.types else {
            hasTooManyTypes = true
            return
        }
        if name.owner == nil { checkKeywords(place) }
        order.append(name)
        let comment = place.text("description") ?? place.text("title") ?? ""
        declarations[name] = Declaration(name: name, comment: comment, content: .object([]))
        let content: Declaration.Content
        switch facts.kind(place) {
        case .choice: content = .choice(choice(facts.choices(place) ?? []))
        case .union: content = .union(union(place, owner, depth))
        case .object, nil: content = .object(properties(place, owner, depth))
        }
        declarations[name]?.content = content
    }

    private mutating func choice(_ values: [SchemaNode]) -> Choice {
        var names = NameScope(["text", "format", "encoding", "rawValue"])
        let unknown = names.claim(values.contains { $0.text == "unknown" } ? "other" : "unknown")
        if values.count > GenerationLimits.cases {
            fault(values[0], "more than \(GenerationLimits.cases) values are not supported")
        }
        var cases: [Choice.Case] = []
        var seen: Set<String> = []
        for value in values.prefix(GenerationLimits.cases) {
            guard let text = value.text, seen.insert(text).inserted else { continue }
            if SwiftLiteral.fitting(text) == nil { fault(value, "the text is too long for a line") }
            cases.append(Choice.Case(name: names.claim(SwiftName.property(text)), value: text))
        }
        return Choice(cases: cases, unknownName: unknown)
    }
}
