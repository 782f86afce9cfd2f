import ArticleAPI
import BroadsheetHTTP

/// Reads the operations of a description as requests.
struct OperationReader {
    let document: Document
    var schemas: SchemaReader
    var security: SecurityReader

    /// An operation that was read, and its dependencies.
    struct Operation {
        let place: SchemaNode
        let request: RequestDeclaration
        let context: SchemaReader.Context
        /// The shapes of bodies, by their direction.
        let sent: [Shape]
        let received: [Shape]
        let isPatch: Bool
    }

    private(set) var operations: [Operation] = []
    /// Constructs that are of no consequence for the operations that have them.
    private(set) var parts: [Finding] = []
    private(set) var notes = GenerationNotes()

    /// The parts from which an operation's declaration is made.
    struct Draft {
        let place: SchemaNode
        let method: String
        let path: String
        /// The request's name, which is also the scope of its nested types.
        let name: String
        var names = NameScope()
        var parts: [RequestDeclaration.Part] = []
        var sent: [Shape] = []
        var received: [Shape] = []
        var isPatch = false
    }

    init(_ document: Document) {
        self.document = document
        schemas = SchemaReader(document)
        security = SecurityReader(document)
    }

    mutating func fault(_ place: SchemaNode, _ message: String) { schemas.fault(place, message) }

    private mutating func part(_ place: SchemaNode, _ message: String) {
        if parts.count < GenerationLimits.findings { parts.append(place.finding(message)) }
    }

    // MARK: Operations

    mutating func read() throws(GenerationError) {
        if let webhooks = document.root["webhooks"], !webhooks.members.isEmpty {
            part(webhooks, "`webhooks` are not supported")
        }
        for (path, place) in document.root["paths"]?.members ?? [] where !path.hasPrefix("x-") {
            guard let item = document.resolved(place, in: "pathItems") else {
                part(place, "the reference leads to no path item of the components")
                continue
            }
            for (method, operation) in item.members {
                guard Self.methods.contains(method) else {
                    if method == "trace" { part(operation, "the method TRACE is not supported") }
                    if method == "servers" {
                        part(operation, "servers of a path are not supported")
                    }
                    continue
                }
                guard operations.count < GenerationLimits.operations else {
                    throw .tooLarge(
                        "the description has more than \(GenerationLimits.operations) operations")
                }
                read(operation, method, path, item)
            }
        }
        schemas.readWaiting()
        if schemas.hasTooManyTypes {
            throw .tooLarge("the description has more than \(GenerationLimits.types) types")
        }
        for place in schemas.xml { notes.add("`xml` is ignored", place) }
    }

    private static let methods: Set<String> = [
        "get", "put", "post", "delete", "options", "head", "patch",
    ]

    private mutating func read(
        _ place: SchemaNode, _ method: String, _ path: String, _ item: SchemaNode
    ) {
        schemas.context = SchemaReader.Context()
        let words = WordSplitter.of(place.text("operationId") ?? "\(method) \(spoken(path))")
        var name = SwiftName.type(words, limit: SwiftName.limit - 7)
        if !name.hasSuffix("Request") { name += "Request" }
        var draft = Draft(
            place: place, method: method, path: path, name: schemas.claimTopName(name))
        checkPath(draft, item)
        readParameters(item, &draft)
        readBody(&draft)
        let (response, status) = readResponse(&draft)
        if let servers = place["servers"] { fault(servers, "servers of an operation") }
        if let callbacks = place["callbacks"], !callbacks.members.isEmpty {
            part(callbacks, "`callbacks` are not supported")
        }
        let (needsAccount, parameters) = security.read(place, &schemas)
        for parameter in parameters {
            let name = draft.names.claim(SwiftName.property(parameter))
            draft.parts.append(
                RequestDeclaration.Part(
                    key: parameter, name: name, location: .query, shape: .text(.string),
                    isRequired: true, comment: "The API key."))
        }
        let summary = place.text("summary") ?? ""
        var comment = place.text("description") ?? ""
        if place["deprecated"]?.isTrue == true { comment += " Deprecated." }
        let request = RequestDeclaration(
            name: draft.name, method: method, path: path,
            operation: place.text("operationId") ?? "", summary: summary, comment: comment,
            needsAccount: needsAccount, status: status, parts: draft.parts, response: response)
        operations.append(
            Operation(
                place: place, request: request, context: schemas.context, sent: draft.sent,
                received: draft.received, isPatch: draft.isPatch))
    }

    /// `/pets/{id}` as words: `pets by id`.
    private func spoken(_ path: String) -> String {
        path.replacing("{", with: " by ").replacing("}", with: " ")
    }

    // MARK: Paths

    /// Checks that a path consists of plain segments and whole parameters.
    private mutating func checkPath(_ draft: Draft, _ item: SchemaNode) {
        let path = draft.path
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        let isRooted = segments.popFirst() == ""
        if segments.last == "" { segments.removeLast() }
        let arePlain = segments.allSatisfy { segment in
            if segment.first == "{", segment.last == "}" {
                return !segment.dropFirst().dropLast().contains { "{}".contains($0) }
            }
            return !["", ".", ".."].contains(segment) && Self.isPlain(segment)
        }
        if !isRooted || !arePlain {
            fault(item, "a path whose segments are not either text or one parameter")
        }
        if SwiftLiteral.fitting(path, columns: 80) == nil {
            fault(item, "the path is too long for a line")
        }
    }

    /// Returns true if a segment is in the form in which it is sent (RFC 3986 §3.3).
    private static func isPlain(_ segment: Substring) -> Bool {
        guard RequestTarget(path: "/" + segment) != nil else { return false }
        return segment.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~!$&'()*+,;=:@".utf8.contains(byte)
            }
        }
    }

    mutating func note(_ message: String, _ place: SchemaNode) { notes.add(message, place) }
}

/// Notes for the reader of the output, each with the number of places to which it applies.
struct GenerationNotes {
    private var places: [(message: String, first: SchemaNode, count: Int)] = []

    mutating func add(_ message: String, _ place: SchemaNode) {
        if let index = places.firstIndex(where: { $0.message == message }) {
            places[index].count += 1
        } else {
            places.append((message, place, 1))
        }
    }

    var findings: [Finding] {
        places.map { message, first, count in
            let others = count == 2 ? " (and 1 other)" : " (and \(count - 1) others)"
            return first.finding(message + (count > 1 ? others : ""))
        }
    }
}
