/// Declares enums: texts of which one is chosen, and forms of which a value has one.
extension ModelPrinter {
    func declareCases(_ choice: Choice, _ writer: inout SourceWriter) {
        let access = writer.access
        let unknown = SwiftName.escaped(choice.unknownName)
        for item in choice.cases { writer.line("case \(SwiftName.escaped(item.name))") }
        writer.comment("A value that this version does not know.")
        writer.line("case \(unknown)(String)")
        writer.blank()
        writer.block("\(access)init(rawValue: String)") { writer in
            writer.line("switch rawValue {")
            for item in choice.cases {
                let head = "case \(SwiftLiteral.of(item.value)):"
                let statement = "self = .\(SwiftName.member(item.name))"
                Self.row(head, statement, &writer)
            }
            writer.line("default: self = .\(unknown)(rawValue)")
            writer.line("}")
        }
        writer.blank()
        writer.block("\(access)var rawValue: String") { writer in
            writer.line("switch self {")
            for item in choice.cases {
                let head = "case .\(SwiftName.member(item.name)):"
                Self.row(head, SwiftLiteral.of(item.value), &writer)
            }
            writer.line("case .\(unknown)(let value): value")
            writer.line("}")
        }
    }

    /// A case of a switch; its statement is on a line of its own if that is necessary.
    private static func row(_ head: String, _ statement: String, _ writer: inout SourceWriter) {
        // The case is indented by at most 12 columns.
        guard Expression.width(head) + Expression.width(statement) > 87 else {
            return writer.line("\(head) \(statement)")
        }
        writer.line(head)
        writer.line("    \(statement)")
    }

    func declareForms(_ union: Union, _ scope: String, _ writer: inout SourceWriter) {
        let access = writer.access
        for form in union.forms {
            let type = form.shape.type(style, in: scope)
            writer.line("case \(SwiftName.escaped(form.name))(\(type))")
        }
        if let unknown = union.unknownName {
            writer.comment("A form that this version does not know.")
            writer.line("case \(SwiftName.escaped(unknown))(JSONValue)")
        }
        for (name, type) in accessors(union, scope) {
            writer.blank()
            writer.comment("The value, if it has this form.")
            writer.block("\(access)var \(SwiftName.escaped(name)): \(type)?") { writer in
                writer.line(
                    "if case .\(SwiftName.member(name))(let value) = self { value } else { nil }")
            }
        }
    }

    private func accessors(_ union: Union, _ scope: String) -> [(name: String, type: String)] {
        var list = union.forms.map { (name: $0.name, type: $0.shape.type(style, in: scope)) }
        if let unknown = union.unknownName { list.append((unknown, "JSONValue")) }
        return list
    }

    func unionCodec(_ union: Union) -> Expression {
        func alternative(_ name: String, _ tag: String?, _ codec: Expression) -> Expression {
            var arguments: [Expression.Argument] = []
            if let tag { arguments.append(.init("tag", .text(SwiftLiteral.of(tag)))) }
            arguments += [
                .init("", codec), .init("", .text("Self.\(SwiftName.member(name))")),
                .init("", .text("\\.\(SwiftName.member(name))")),
            ]
            return .call("JSONAlternative", arguments)
        }
        var arguments: [Expression.Argument] = []
        if let key = union.tagKey, let unknown = union.unknownName {
            arguments.append(.init("by", .text(SwiftLiteral.of(key))))
            arguments.append(.init("otherwise", alternative(unknown, nil, .text(".anything"))))
        }
        for form in union.forms {
            let tags: [String?] = form.tags.isEmpty ? [nil] : form.tags
            for tag in tags {
                arguments.append(.init("", alternative(form.name, tag, codecs.json(form.shape))))
            }
        }
        return .call(union.tagKey == nil ? ".firstOf" : ".tagged", arguments, .rows)
    }
}
