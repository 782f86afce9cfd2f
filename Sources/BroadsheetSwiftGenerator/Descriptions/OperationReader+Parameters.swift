import ArticleAPI
import BroadsheetHTTP

/// The parameters of operations.
extension OperationReader {
    mutating func readParameters(_ item: SchemaNode, _ draft: inout Draft) {
        var parameters: [(id: String, place: SchemaNode)] = []
        let lists = [item["parameters"], draft.place["parameters"]]
        for place in lists.flatMap({ $0?.items ?? [] }) {
            guard let parameter = document.resolved(place, in: "parameters"),
                let name = parameter.text("name"), let location = parameter.text("in")
            else {
                fault(place, "is not a parameter with `name` and `in`")
                continue
            }
            let id = "\(location) \(name)"
            // Those of the operation replace those of its path.
            if let index = parameters.firstIndex(where: { $0.id == id }) {
                parameters[index].place = parameter
            } else {
                parameters.append((id, parameter))
            }
        }
        let inPath = PathTemplate(stringLiteral: draft.path).parameters
        var found: Set<String> = []
        for (_, parameter) in parameters.prefix(GenerationLimits.properties) {
            if parameter.text("in") == "path" { found.insert(parameter.text("name") ?? "") }
            read(parameter, &draft)
        }
        if Set(inPath) != found || inPath.count != found.count {
            fault(draft.place, "the parameters of the path are not those that are declared")
        }
        if parameters.count > GenerationLimits.properties {
            fault(draft.place, "more than \(GenerationLimits.properties) parameters")
        }
    }

    private mutating func read(_ place: SchemaNode, _ draft: inout Draft) {
        guard let key = place.text("name"), let location = place.text("in") else { return }
        if SwiftLiteral.fitting(key) == nil { fault(place, "the name is too long for a line") }
        guard let schema = place["schema"] else {
            fault(place, "parameters without `schema` are not supported")
            return
        }
        let name = draft.names.claim(SwiftName.property(key))
        let hint = SchemaReader.TypeHint(owner: draft.name, key: key)
        let shape = schemas.shape(schema, hint).present
        let isRequired = place["required"]?.isTrue == true
        guard let location = self.location(place, location, key, shape, &draft) else { return }
        if name.utf8.count + shape.type(.mapped, in: nil).utf8.count > 2 * SwiftName.limit {
            fault(place, "the name and its type are too long for a line")
        }
        var comment = place.text("description") ?? ""
        if place["deprecated"]?.isTrue == true { comment += " Deprecated." }
        draft.parts.append(
            RequestDeclaration.Part(
                key: key, name: name, location: location, shape: shape,
                isRequired: isRequired || place.text("in") == "path", comment: comment))
    }

    /// Returns the location of a parameter; `nil` if it is not sent, or after a fault.
    private mutating func location(
        _ place: SchemaNode, _ location: String, _ key: String, _ shape: Shape, _ draft: inout Draft
    ) -> RequestDeclaration.Part.Location? {
        if place["allowReserved"]?.isTrue == true {
            fault(place, "`allowReserved` is not supported")
        }
        switch location {
        case "path":
            checkStyle(place, "simple")
            checkText(shape, place, allowsList: true)
            return .path
        case "query":
            checkStyle(place, "form")
            checkText(shape, place, allowsList: true)
            guard case .list = shape, place["explode"]?.value != .boolean(false) else {
                return .query
            }
            return .queryList
        case "header":
            // The description says that these are not parameters (OpenAPI 3.1 §4.8.12.2).
            if ["accept", "content-type", "authorization"].contains(key.lowercased()) {
                return nil
            }
            checkStyle(place, "simple")
            checkText(shape, place, allowsList: true)
            let reserved = ["host", "connection", "content-length", "transfer-encoding", "cookie"]
            if HTTPFieldName(key) == nil || reserved.contains(key.lowercased()) {
                fault(place, "is not the name of a header field that a request can set")
            }
            return .header
        case "cookie": fault(place, "parameters in cookies are not supported")
        default: fault(place, "`in` must be path, query or header")
        }
        return nil
    }

    private mutating func checkStyle(_ place: SchemaNode, _ supported: String) {
        if let style = place["style"], style.text != supported {
            fault(style, "only the style `\(supported)` is supported here")
        }
    }

    /// Rejects shapes that have no form as text.
    private mutating func checkText(_ shape: Shape, _ place: SchemaNode, allowsList: Bool) {
        switch shape {
        case .boolean, .integer, .number, .text: return
        case .named(let name) where schemas.choices.contains(name): return
        case .list(let item) where allowsList: checkText(item, place, allowsList: false)
        default: fault(place["schema"] ?? place, "only texts, numbers, booleans and lists of them")
        }
    }
}
