import ArticleAPI
import BroadsheetHTTP

/// The bodies of requests and responses.
extension OperationReader {
    mutating func readBody(_ draft: inout Draft) {
        guard let place = draft.place["requestBody"] else { return }
        guard let body = document.resolved(place, in: "requestBodies") else {
            return fault(place, "the reference leads to no body of the components")
        }
        let contents = body["content"]?.members ?? []
        let isRequired = body["required"]?.isTrue == true
        let name = draft.names.claim("body")
        let comment = body.text("description") ?? ""
        func add(_ location: RequestDeclaration.Part.Location, _ shape: Shape) {
            draft.parts.append(
                RequestDeclaration.Part(
                    key: "", name: name, location: location, shape: shape, isRequired: isRequired,
                    comment: comment))
        }
        let patch = contents.first { Self.is($0.name, "application/merge-patch+json") }
        let json = contents.first { Self.isJSON($0.name) }
        if let content = draft.method == "patch" ? patch ?? json : json ?? patch {
            draft.isPatch = Self.is(content.name, "application/merge-patch+json")
            let hint = SchemaReader.TypeHint(owner: draft.name, key: "content")
            let shape = content.place["schema"].map { schemas.shape($0, hint) } ?? .anything
            draft.sent.append(shape)
            add(draft.isPatch ? .mergePatch : .body, shape)
            return
        }
        guard let content = contents.first(where: { Self.isBytes($0.name) }),
            SwiftLiteral.fitting(content.name) != nil
        else {
            return fault(body["content"] ?? body, "only JSON and bodies of bytes are supported")
        }
        add(.bytes(content.name), .text(.bytes))
    }

    private static func `is`(_ mediaType: String, _ other: String) -> Bool {
        MediaType(mediaType)?.is(other) == true
    }

    static func isJSON(_ mediaType: String) -> Bool {
        let type = mediaType.lowercased().prefix { $0 != ";" && $0 != " " }
        return type == "application/json"
            || type.hasPrefix("application/") && type.hasSuffix("+json")
                && type != "application/problem+json"
                && type != "application/merge-patch+json" && type != "application/json-patch+json"
    }

    private static func isBytes(_ mediaType: String) -> Bool {
        guard let type = MediaType(mediaType) else { return false }
        let forms = ["application/x-www-form-urlencoded", "application/json-patch+json"]
        return !mediaType.lowercased().hasPrefix("multipart/") && !mediaType.contains("*")
            && !forms.contains { type.is($0) }
    }

    // MARK: Responses

    mutating func readResponse(
        _ draft: inout Draft
    ) -> (response: RequestDeclaration.Response, status: Int) {
        let all = draft.place["responses"]?.members ?? []
        var successes: [(status: Int, place: SchemaNode)] = []
        for (name, place) in all where !name.hasPrefix("x-") {
            guard let response = document.resolved(place, in: "responses") else {
                fault(place, "the reference leads to no response of the components")
                continue
            }
            if let links = response["links"], !links.members.isEmpty {
                note("`links` are ignored", links)
            }
            if name.lowercased() == "2xx" || Int(name).map({ (200..<300).contains($0) }) == true {
                successes.append((Int(name) ?? 200, response))
                if let headers = response["headers"], !headers.members.isEmpty {
                    note("fields of responses are read from `reply(to:).fields`", headers)
                }
            } else {
                noteError(response)
            }
        }
        if successes.isEmpty, let place = all.first(where: { $0.name == "default" })?.place,
            let response = document.resolved(place, in: "responses")
        {
            successes = [(200, response)]
        }
        successes.sort { $0.status < $1.status }
        guard let first = successes.first else { return (.nothing, 204) }
        for other in successes.dropFirst() where !Self.areAlike(first.place, other.place) {
            fault(other.place, "successful responses that differ are not supported")
        }
        if draft.method == "head" { return (.nothing, first.status) }
        return (content(of: first.place, &draft), first.status)
    }

    private mutating func noteError(_ response: SchemaNode) {
        let contents = response["content"]?.members ?? []
        if let content = contents.first, !contents.contains(where: { $0.name == Problem.mediaType })
        {
            note("bodies of errors other than application/problem+json are ignored", content.place)
        }
    }

    private static func areAlike(_ first: SchemaNode, _ second: SchemaNode) -> Bool {
        func schemas(_ place: SchemaNode) -> [JSONValue?] {
            (place["content"]?.members ?? []).map { $0.place["schema"]?.value }
        }
        return schemas(first) == schemas(second)
    }

    private mutating func content(
        of response: SchemaNode, _ draft: inout Draft
    ) -> RequestDeclaration.Response {
        let contents = response["content"]?.members ?? []
        guard let first = contents.first else { return .nothing }
        if let json = contents.first(where: { Self.isJSON($0.name) }) {
            let hint = SchemaReader.TypeHint(owner: draft.name, key: "outcome")
            let shape = json.place["schema"].map { schemas.shape($0, hint) } ?? .anything
            draft.received.append(shape)
            return .value(shape)
        }
        if contents.contains(where: { Self.is($0.name, "text/event-stream") }) { return .events }
        if SwiftLiteral.fitting(first.name) == nil || MediaType(first.name) == nil {
            fault(first.place, "is not a media type that fits on a line")
        }
        return .bytes(first.name)
    }
}
