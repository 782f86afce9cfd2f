/// Declares models: values with an initialiser and a copy with changes, and their JSON.
struct ModelPrinter {
    let style: ModelStyle
    let codecs: CodecWriter

    /// Declares a type with the types that are declared within it, and the parts that depend on a
    /// style.
    func declare(
        _ declaration: Declaration, nested: [Declaration], in writer: inout SourceWriter,
        _ more: (inout SourceWriter) -> Void = { _ in }
    ) {
        declareType(declaration, in: &writer) { writer in
            for type in nested {
                writer.blank()
                declareType(type, in: &writer) { _ in }
            }
            more(&writer)
        }
        guard style == .mapped else { return }
        for type in [declaration] + nested { declareFormat(type, in: &writer) }
    }

    /// A type within another declaration, such as a request.
    func declareType(
        _ declaration: Declaration, in writer: inout SourceWriter,
        _ more: (inout SourceWriter) -> Void
    ) {
        let name = declaration.name.name
        let scope = declaration.name.owner ?? name
        writer.comment(declaration.comment)
        switch declaration.content {
        case .object(let properties):
            let head = "\(writer.access)struct \(name): \(protocols(properties))"
            writer.block(head) { writer in
                declareMembers(properties, scope, &writer)
                more(&writer)
            }
        case .choice(let choice):
            let head = "\(writer.access)enum \(name): RawRepresentable, Sendable, Hashable"
            writer.block(head) { writer in
                declareCases(choice, &writer)
                more(&writer)
            }
        case .union(let union):
            let indirect = union.isIndirect ? "indirect " : ""
            let head = "\(writer.access)\(indirect)enum \(name): Sendable, Hashable"
            writer.block(head) { writer in
                declareForms(union, scope, &writer)
                more(&writer)
            }
        }
    }

    private func protocols(_ properties: [Property]) -> String {
        var names = style == .codable ? ["Codable"] : []
        names += ["Sendable", "Hashable"]
        if properties.identifier != nil { names.append("Identifiable") }
        return names.joined(separator: ", ")
    }

    // MARK: Objects

    private func declareMembers(
        _ properties: [Property], _ scope: String, _ writer: inout SourceWriter
    ) {
        let access = writer.access
        for property in properties {
            writer.comment(property.comment)
            let name = SwiftName.escaped(property.name)
            writer.line("\(access)let \(name): \(property.type(style, in: scope))")
        }
        if style == .codable { declareKeys(properties, &writer) }
        // An internal initialiser of all properties, without default values, is synthesised.
        if !access.isEmpty || properties.contains(where: hasDefault) {
            writer.blank()
            let parameters = properties.map { property in
                let type = property.type(style, in: scope)
                return "\(SwiftName.escaped(property.name)): \(type)\(defaultValue(property))"
            }
            writer.function("\(access)init", parameters) { writer in
                for property in properties {
                    let name = SwiftName.escaped(property.name)
                    writer.line("self.\(SwiftName.member(property.name)) = \(name)")
                }
            }
        }
        declareCopy(properties, scope, &writer)
    }

    private func hasDefault(_ property: Property) -> Bool { !defaultValue(property).isEmpty }

    private func defaultValue(_ property: Property) -> String {
        switch property.presence {
        case .required: ""
        case .optional: " = nil"
        case .change: " = .keep"
        }
    }

    private func declareKeys(_ properties: [Property], _ writer: inout SourceWriter) {
        guard properties.contains(where: { $0.key != $0.name }) else { return }
        writer.blank()
        writer.block("private enum CodingKeys: String, CodingKey") { writer in
            for property in properties {
                let name = SwiftName.escaped(property.name)
                guard property.key != property.name else {
                    writer.line("case \(name)")
                    continue
                }
                writer.assignment("case \(name)", SwiftLiteral.of(property.key))
            }
        }
    }

    /// `copy(title:summary:)`: each argument is a new value, or a change of an optional one.
    private func declareCopy(
        _ properties: [Property], _ scope: String, _ writer: inout SourceWriter
    ) {
        var parameters: [String] = []
        var arguments: [Expression.Argument] = []
        for property in properties {
            let name = SwiftName.escaped(property.name)
            let member = "self.\(SwiftName.member(property.name))"
            let value: Expression
            if property.isOptional {
                let type = property.valueType(style, in: scope)
                parameters.append("\(name): Change<\(type)> = .keep")
                value = .call("\(name).applied", [.init("to", .text(member))])
            } else {
                parameters.append("\(name): \(property.type(style, in: scope))? = nil")
                value = .coalescing(name, member)
            }
            arguments.append(.init(SwiftName.label(property.name), value))
        }
        writer.blank()
        writer.comment("A copy with changes; what is not given stays as it is.")
        writer.function("\(writer.access)func copy", parameters, " -> Self") { writer in
            writer.expression(.call("Self", arguments))
        }
    }

    func declareFormat(_ declaration: Declaration, in writer: inout SourceWriter) {
        let access = writer.access
        writer.blank()
        switch declaration.content {
        case .object(let properties):
            writer.block("extension \(declaration.name): JSONModel") { writer in
                writer.expression(
                    objectCodec(properties), after: "\(access)static let shape = ")
            }
        case .choice(let choice):
            writer.block("extension \(declaration.name): JSONRepresentable") { writer in
                let names = choice.cases.map {
                    Expression.Argument("", .text(SwiftLiteral.of($0.value)))
                }
                writer.expression(
                    .call("TextCodec<Self>.named", names), after: "\(access)static let text = ")
                writer.line("\(access)static let format = JSONCodec.text(text)")
            }
        case .union(let union):
            writer.block("extension \(declaration.name): JSONRepresentable") { writer in
                // Without its type, a codec that needs itself would be a circular reference.
                let head = "\(access)static let format: JSONCodec<Self> = "
                writer.expression(unionCodec(union), after: head)
            }
        }
    }

    private func objectCodec(_ properties: [Property]) -> Expression {
        let initialiser =
            properties.count == 1
            ? "Self.init(\(SwiftName.label(properties[0].name)):)" : "Self.init"
        var arguments = [Expression.Argument("", .text(initialiser))]
        for property in properties {
            let kind =
                switch property.presence {
                case .required: ".required"
                case .optional: ".optional"
                case .change: ".change"
                }
            arguments.append(
                .init(
                    "",
                    .call(
                        kind,
                        [
                            .init("", .text(SwiftLiteral.of(property.key))),
                            .init("", .text("\\.\(SwiftName.member(property.name))")),
                            .init("", codecs.json(property)),
                        ])))
        }
        return .call("ObjectCodec", arguments, .rows)
    }
}
