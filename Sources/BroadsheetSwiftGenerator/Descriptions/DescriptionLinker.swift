import ArticleAPI

/// The parts of a description that are printed: the operations that can be expressed, and the types
/// that they need, with their uses.
struct DescriptionLinker {
    private let schemas: SchemaReader
    /// The operations that can be expressed.
    let operations: [OperationReader.Operation]
    /// The reasons why the others cannot be expressed.
    let faults: [Finding]
    /// The types that the operations need.
    private(set) var declarations: [TypeName: Declaration] = [:]
    /// The types that contain values of a type, directly or not.
    private var reached: [TypeName: Set<TypeName>] = [:]

    init(_ reader: OperationReader) {
        schemas = reader.schemas
        let broken = Self.brokenComponents(reader.schemas)
        var faults: [Finding] = []
        operations = reader.operations.filter { operation in
            let context = operation.context
            let components = Self.components(of: context, reader.schemas)
            let indirect = components.filter(broken.contains)
                .flatMap { reader.schemas.contexts[$0]?.faults ?? [] }
            for fault in context.faults + indirect where !faults.contains(fault) {
                if faults.count < GenerationLimits.findings { faults.append(fault) }
            }
            return context.faults.isEmpty && indirect.isEmpty
        }
        self.faults = faults
        selectTypes()
        applyDirections()
        applyPatches()
        findCircles()
    }

    private static func brokenComponents(_ schemas: SchemaReader) -> Set<String> {
        Set(schemas.contexts.filter { !$0.value.faults.isEmpty }.keys)
    }

    /// All components to which an operation refers, directly or not, sorted.
    private static func components(
        of context: SchemaReader.Context, _ schemas: SchemaReader
    ) -> [String] {
        var found = context.references
        var waiting = Array(found)
        while let name = waiting.popLast() {
            for next in schemas.contexts[name]?.references ?? []
            where found.insert(next).inserted {
                waiting.append(next)
            }
        }
        return found.sorted()
    }

    // MARK: Types

    private mutating func selectTypes() {
        var roots: [TypeName] = []
        for operation in operations {
            roots += operation.sent.compactMap(\.name) + operation.received.compactMap(\.name)
            roots += operation.request.parts.compactMap(\.shape.name)
        }
        for name in Self.reached(from: roots, schemas.declarations) {
            declarations[name] = schemas.declarations[name]
        }
    }

    private static func reached(
        from roots: [TypeName], _ declarations: [TypeName: Declaration]
    ) -> Set<TypeName> {
        var found = Set(roots)
        var waiting = roots
        while let name = waiting.popLast() {
            for next in declarations[name]?.shapes.compactMap(\.name) ?? []
            where found.insert(next).inserted {
                waiting.append(next)
            }
        }
        return found
    }

    private mutating func mapProperties(
        of name: TypeName, _ change: (inout Property) -> Void
    ) {
        guard case .object(var properties)? = declarations[name]?.content else { return }
        for index in properties.indices { change(&properties[index]) }
        declarations[name]?.content = .object(properties)
    }

    /// Makes attributes that only one side sends absent on the other one.
    private mutating func applyDirections() {
        let sent = Self.reached(
            from: operations.flatMap { $0.sent.compactMap(\.name) }, declarations)
        let received = Self.reached(
            from: operations.flatMap { $0.received.compactMap(\.name) }, declarations)
        for name in sent {
            mapProperties(of: name) { property in
                if property.direction == .responses { property.presence = .optional }
            }
        }
        for name in received {
            mapProperties(of: name) { property in
                if property.direction == .requests { property.presence = .optional }
            }
        }
    }

    /// In merge patches, `null` is not the same as being absent (RFC 7396 §2).
    private mutating func applyPatches() {
        var waiting = operations.filter(\.isPatch)
            .flatMap { $0.sent.compactMap { $0.inlineName } }
        var found = Set(waiting)
        while let name = waiting.popLast() {
            mapProperties(of: name) { property in
                if case .nullable = property.shape, property.presence == .optional {
                    property.presence = .change
                }
                if let next = property.shape.inlineName, found.insert(next).inserted {
                    waiting.append(next)
                }
            }
        }
    }

    // MARK: Circles

    /// Puts values on the heap where a type would otherwise contain itself.
    private mutating func findCircles() {
        for name in declarations.keys {
            let roots = declarations[name]?.shapes.compactMap(\.name) ?? []
            reached[name] = Self.reached(from: roots, declarations)
        }
        let inline = declarations.mapValues { $0.shapes.compactMap(\.inlineName) }
        func contains(_ outer: TypeName, _ inner: TypeName) -> Bool {
            var found: Set<TypeName> = [outer]
            var waiting = [outer]
            while let name = waiting.popLast() {
                if name == inner { return true }
                for next in inline[name] ?? [] where found.insert(next).inserted {
                    waiting.append(next)
                }
            }
            return false
        }
        for name in declarations.keys.sorted() {
            if case .union(var union)? = declarations[name]?.content {
                union.isIndirect = union.forms.contains { form in
                    form.shape.inlineName.map { contains($0, name) } == true
                }
                declarations[name]?.content = .union(union)
            }
            mapProperties(of: name) { property in
                guard let inner = property.shape.inlineName, contains(inner, name) else { return }
                property.isIndirect = true
            }
        }
    }

    /// Returns true if the codec of a type is needed for its own one.
    func isRecursive(_ name: TypeName) -> Bool { reached[name]?.contains(name) == true }

    // MARK: Order

    /// The types that are declared at the top level, in the order of the description.
    var topLevel: [Declaration] {
        let names = schemas.document.schemaNames.prefix(GenerationLimits.types)
        return names.compactMap { schemas.type(ofComponent: $0) }.compactMap { declarations[$0] }
    }

    /// The types within a top-level one, in the order in which they were found.
    func nested(in owner: String) -> [Declaration] {
        schemas.order.filter { $0.owner == owner }.compactMap { declarations[$0] }
    }

    /// The types of components' parts that belong to no component that is printed.
    var owners: Set<String> { Set(declarations.keys.compactMap(\.owner)) }
}
