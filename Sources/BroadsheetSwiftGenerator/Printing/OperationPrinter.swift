import ArticleAPI

/// Declares requests of the project's network layer.
struct OperationPrinter {
    let models: ModelPrinter
    /// The types that an API declares within a request.
    let nested: (String) -> [Declaration]

    private typealias Part = RequestDeclaration.Part

    func declare(_ request: RequestDeclaration, in writer: inout SourceWriter) {
        let access = writer.access
        let inner = nested(request.name)
        let body = request.parts.first { [.body, .mergePatch].contains($0.location.kind) }
        let wrapsBody = body.map { !$0.shape.isModel } ?? false
        writer.comment(heading(request))
        writer.paragraph(request.comment)
        writer.block("\(access)struct \(request.name): BackendAPIRequest") { writer in
            writer.expression(endpoint(request), after: "\(access)static let endpoint = ")
            writer.line("\(access)typealias Item = \(item(request.response, in: request.name))")
            writer.blank()
            writer.expression(
                parameters(request), after: "\(access)static let parameters = ")
            declareMembers(request, &writer)
            for type in inner {
                writer.blank()
                models.declareType(type, in: &writer) { _ in }
            }
            if wrapsBody, let body {
                declareWrapper("Body", "The body.", body.shape, request.name, &writer)
            }
            declareResponse(request, &writer)
        }
        for type in inner { models.declareFormat(type, in: &writer) }
    }

    /// Returns the heading of a request: `GET /pets/{id}`, and its summary.
    private func heading(_ request: RequestDeclaration) -> String {
        let line = "`\(request.method.uppercased()) \(request.path)`"
        return request.summary.isEmpty ? line + "." : "\(line): \(request.summary)"
    }

    // MARK: Endpoint and parameters

    private func endpoint(_ request: RequestDeclaration) -> Expression {
        var arguments = [
            Expression.Argument("", .text(".\(request.method)")),
            Expression.Argument("", .text(SwiftLiteral.of(request.path))),
        ]
        if !request.operation.isEmpty, let name = SwiftLiteral.fitting(request.operation) {
            arguments.append(.init("name", .text(name)))
        }
        let summary = CommentText.lines(request.summary, columns: 50, limitLines: 2)
        if let first = summary.first {
            let text = summary.count > 1 ? first + "…" : first
            if let literal = SwiftLiteral.fitting(text) {
                arguments.append(.init("summary", .text(literal)))
            }
        }
        let access = request.needsAccount ? ".useAccount" : ".everyone"
        arguments.append(.init("access", .text(access)))
        let statuses = [201: ".created", 202: ".accepted", 204: ".noContent"]
        if let status = statuses[request.status] {
            arguments.append(.init("success", .text(status)))
        }
        return .call("Endpoint", arguments)
    }

    private func parameters(_ request: RequestDeclaration) -> Expression {
        let initialiser =
            request.parts.count == 1
            ? "Self.init(\(SwiftName.label(request.parts[0].name)):)" : "Self.init"
        return .call(
            "Parameters",
            [.init("", .text(initialiser))] + request.parts.map { .init("", part($0)) }, .rows)
    }

    private func part(_ part: Part) -> Expression {
        let key = Expression.Argument("", .text(SwiftLiteral.of(part.key)))
        let path = Expression.Argument("", .text("\\.\(SwiftName.member(part.name))"))
        func call(_ head: String, _ shape: Shape) -> Expression {
            let codec = models.codecs.text(shape) ?? .text(".string")
            return .call(head, [key, path, .init("", codec)])
        }
        switch part.location {
        case .path: return call(".path", part.shape)
        case .query: return call(part.isRequired ? ".requiredQuery" : ".query", part.shape)
        case .header: return call(part.isRequired ? ".requiredHeader" : ".header", part.shape)
        case .queryList:
            guard case .list(let item) = part.shape else { return call(".query", part.shape) }
            let codec = models.codecs.text(item) ?? .text(".string")
            return .call(
                ".queryList",
                [key, path, .init("", codec), .init("limit", .text(".max"))])
        case .body:
            return .call(part.isRequired ? ".body" : ".optionalBody", [path])
        case .mergePatch: return .call(".mergePatch", [path])
        case .bytes(let mediaType):
            let list = Expression.text("[\(SwiftLiteral.of(mediaType))]")
            return .call(".bytes", [path, .init("mediaTypes", list)])
        }
    }

    // MARK: Members

    /// The type of a part, and its default value.
    private func type(_ part: Part, in scope: String) -> (type: String, defaultValue: String) {
        let optional = part.isRequired ? ("", "") : ("?", " = nil")
        switch part.location {
        case .bytes: return ("[UInt8]", "")
        case .mergePatch: return (bodyType(part.shape, in: scope), "")
        case .body: return (bodyType(part.shape, in: scope) + optional.0, optional.1)
        case .queryList:
            return (part.shape.type(.mapped, in: scope), part.isRequired ? "" : " = []")
        case .path, .query, .header:
            return (part.shape.type(.mapped, in: scope) + optional.0, optional.1)
        }
    }

    private func bodyType(_ shape: Shape, in scope: String) -> String {
        shape.isModel ? shape.present.type(.mapped, in: scope) : "Body"
    }

    private func declareMembers(_ request: RequestDeclaration, _ writer: inout SourceWriter) {
        let access = writer.access
        if !request.parts.isEmpty { writer.blank() }
        for part in request.parts {
            writer.comment(part.comment)
            let type = type(part, in: request.name).type
            writer.line("\(access)var \(SwiftName.escaped(part.name)): \(type)")
        }
        let typed = request.parts.map { (part: $0, type: type($0, in: request.name)) }
        guard !access.isEmpty || typed.contains(where: { !$0.type.defaultValue.isEmpty }) else {
            return
        }
        writer.blank()
        guard !typed.isEmpty else { return writer.line("\(access)init() {}") }
        let parameters = typed.map { part, type in
            "\(SwiftName.escaped(part.name)): \(type.type)\(type.defaultValue)"
        }
        writer.function("\(access)init", parameters) { writer in
            for part in request.parts {
                let name = SwiftName.escaped(part.name)
                writer.line("self.\(SwiftName.member(part.name)) = \(name)")
            }
        }
    }

    // MARK: Responses

    private func item(_ response: RequestDeclaration.Response, in scope: String) -> String {
        switch response {
        case .nothing: "NoContent"
        case .events: "EventStream"
        case .value(let shape): shape.isItem ? shape.type(.mapped, in: scope) : "Response"
        case .bytes(let mediaType):
            mediaType == "application/octet-stream" ? "RawBody" : "Response"
        }
    }

    private func declareResponse(_ request: RequestDeclaration, _ writer: inout SourceWriter) {
        switch request.response {
        case .value(let shape) where !shape.isItem:
            declareWrapper("Response", "The response.", shape, request.name, &writer)
        case .bytes(let mediaType) where mediaType != "application/octet-stream":
            declareBytes(mediaType, &writer)
        default: break
        }
    }

    /// A type whose values have another JSON than an object's.
    private func declareWrapper(
        _ name: String, _ comment: String, _ shape: Shape, _ scope: String,
        _ writer: inout SourceWriter
    ) {
        let access = writer.access
        let type = shape.type(.mapped, in: scope)
        writer.blank()
        writer.comment(comment)
        writer.block("\(access)struct \(name): JSONRepresentable, Hashable") { writer in
            let head = "private static let content: JSONCodec<\(type)> = "
            writer.expression(models.codecs.json(shape), after: head)
            writer.line("\(access)static let format = content.mapped(Self.init(value:), \\.value)")
            writer.blank()
            writer.line("\(access)let value: \(type)")
            guard !access.isEmpty else { return }
            writer.blank()
            writer.block("\(access)init(value: \(type))") { $0.line("self.value = value") }
        }
    }

    private func declareBytes(_ mediaType: String, _ writer: inout SourceWriter) {
        let access = writer.access
        writer.blank()
        writer.comment("The response.")
        writer.block("\(access)struct Response: ResponseItem, Hashable") { writer in
            let codec = Expression.call(
                "ResponseEncoding<Self>.bytes",
                [
                    .init("", .text(SwiftLiteral.of(mediaType))), .init("", .text("\\.bytes")),
                    .init("", .text("Self.init(bytes:)")),
                ])
            writer.expression(codec, after: "\(access)static let encoding = ")
            writer.blank()
            writer.line("\(access)let bytes: [UInt8]")
            guard !access.isEmpty else { return }
            writer.blank()
            writer.block("\(access)init(bytes: [UInt8])") { $0.line("self.bytes = bytes") }
        }
    }
}

extension Shape {
    /// True if the type has a JSON format of its own, as a body needs.
    fileprivate var isModel: Bool {
        switch present {
        case .named: true
        case .list(.named): true
        default: false
        }
    }

    /// True if the type is an item of responses.
    fileprivate var isItem: Bool { if case .nullable = self { false } else { isModel } }
}

extension RequestDeclaration.Part.Location {
    fileprivate enum Kind {
        case parameter, body, mergePatch, bytes
    }

    fileprivate var kind: Kind {
        switch self {
        case .path, .query, .queryList, .header: .parameter
        case .body: .body
        case .mergePatch: .mergePatch
        case .bytes: .bytes
        }
    }
}
