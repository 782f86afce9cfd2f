/// Declares that models and responses are kept on the device: conformances to the protocols of
/// `ArticleOffline`.
struct OfflinePrinter {
    /// The title of the API, by which its types are told apart from those of others in a file.
    let title: String
    let declarations: [TypeName: Declaration]
    let requests: [RequestDeclaration]

    /// Declares that a model can be kept, if it has an id.
    func declare(_ declaration: Declaration, in writer: inout SourceWriter) {
        guard isStorable(declaration.name) else { return }
        let name = SwiftLiteral.fitting("\(title)/\(declaration.name)", columns: 60)
        writer.blank()
        writer.block("extension \(declaration.name): StorableModel") { writer in
            let arguments = [
                Expression.Argument(
                    "", .text(name ?? SwiftLiteral.of("\(declaration.name)"))),
                Expression.Argument("", .text("shape")),
            ]
            writer.expression(
                .call("StoredForm", arguments), after: "\(writer.access)static let storedForm = ")
        }
    }

    /// Declares that responses to a request are kept, if they have a form in JSON.
    func declare(_ request: RequestDeclaration, in writer: inout SourceWriter) {
        if let (id, model) = subject(of: request) {
            writer.blank()
            let isDeletion = if case .nothing = request.response { true } else { false }
            guard isDeletion || id.name != "modelID" else {
                return writer.line("extension \(request.name): ModelRequest {}")
            }
            writer.block("extension \(request.name): ModelRequest") { writer in
                if isDeletion { writer.line("\(writer.access)typealias Model = \(model)") }
                guard id.name != "modelID" else { return }
                let name = SwiftName.member(id.name)
                let shape = id.shape.type(.mapped, in: request.name)
                writer.line("\(writer.access)var modelID: \(shape) { \(name) }")
            }
        } else if isKept(request) {
            writer.blank()
            writer.line("extension \(request.name): CacheableRequest {}")
        }
    }

    /// True if the response is kept, or says something about models.
    private func isKept(_ request: RequestDeclaration) -> Bool {
        guard case .value(let shape) = request.response else { return false }
        if request.method == "get" { return true }
        switch shape {
        case .named(let name), .list(.named(let name)): return isStorable(name)
        default: return false
        }
    }

    // MARK: Ids

    private func isStorable(_ name: TypeName) -> Bool { id(of: name) != nil }

    /// The id of a model that can be kept; `nil` for other types.
    private func id(of name: TypeName) -> Property? {
        guard case .object(let properties) = declarations[name]?.content, properties.count <= 64
        else { return nil }
        return properties.identifier
    }

    /// The parameter by which a request names a model, and the model: the one that is found at the
    /// request's path.
    private func subject(
        of request: RequestDeclaration
    ) -> (id: RequestDeclaration.Part, model: TypeName)? {
        let getting = requests.first { $0.method == "get" && $0.path == request.path }
        guard case .value(.named(let model))? = getting?.response, let id = id(of: model),
            let part = request.parts.last(where: { part in
                if case .path = part.location { true } else { false }
            }),
            model.description != "Model", request.path.hasSuffix("{\(part.key)}"),
            part.key.lowercased().hasSuffix("id"),
            part.shape.generalized == id.shape.generalized
        else { return nil }
        switch request.response {
        case .value(.named(model)): return (part, model)
        case .nothing: return request.method == "delete" ? (part, model) : nil
        default: return nil
        }
    }
}

extension [Property] {
    /// The property that is the id of an `Identifiable` type; `nil` if there is none.
    var identifier: Property? {
        first { property in
            property.name == "id" && property.presence == .required
                && [.anyInteger, .text(.string), .text(.uuid)].contains(property.shape.generalized)
        }
    }
}

extension Shape {
    /// The shape without limits.
    var generalized: Shape {
        if case .integer = self { .anyInteger } else { self }
    }
}
