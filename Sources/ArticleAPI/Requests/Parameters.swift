package import BroadsheetHTTP

/// The transfer of the parts of a request: one line for each, used in both directions.
///
/// A printed value is parsed as the same value.
///
/// ```swift
/// Parameters(
///     Self.init, .path("id", \.id, .identifier()),
///     .header("If-Match", \.expected, .ifMatch), .mergePatch(\.changes))
/// ```
public struct Parameters<Request: Sendable>: Sendable {
    /// Path, query and header parameters, in their order.
    package let list: [ParameterDescription]
    /// The body, if the request has one.
    package let body: BodyDescription?
    let print: @Sendable (Request, inout RequestDraft) -> Void
    private let read: @Sendable (inout RequestReader) -> Request?

    /// - Parameters:
    ///   - make: Makes the request from the parts' values, in the order of the parts.
    ///   - part: The parts.
    public init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Request,
        _ part: repeat RequestPart<Request, each Value>
    ) {
        var descriptions: [PartDescription] = []
        var prints: [@Sendable (Request, inout RequestDraft) -> Void] = []
        var members: [@Sendable (Request, inout JSONWriter) -> Void] = []
        repeat descriptions.append((each part).description)
        repeat prints.append((each part).print)
        repeat Self.append((each part).member, to: &members)
        self.init(descriptions, prints, members) { reader in
            let results = (repeat (each part).read(&reader))
            do { return make(repeat try required(each results)) } catch { return nil }
        }
    }

    private static func append<Element>(_ element: Element?, to list: inout [Element]) {
        if let element { list.append(element) }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private init(
        _ descriptions: [PartDescription],
        _ prints: [@Sendable (Request, inout RequestDraft) -> Void],
        _ members: [@Sendable (Request, inout JSONWriter) -> Void],
        read: @escaping @Sendable (inout RequestReader) -> Request?
    ) {
        var (list, body): ([ParameterDescription], BodyDescription?) = ([], nil)
        var properties: [JSONSchema.Property] = []
        for description in descriptions {
            switch description {
            case .parameter(let description): list.append(description)
            case .body(let description): body = description
            case .member(let property): properties.append(property)
            }
        }
        guard !properties.isEmpty else {
            self.init(
                list: list, body: body,
                print: { request, draft in for print in prints { print(request, &draft) } },
                read: read)
            return
        }
        precondition(body == nil, "programmer error: a body and members of a body")
        let names = properties.map(\.name)
        precondition(
            Set(names).count == names.count, "programmer error: two members of the same name")
        self.init(
            list: list,
            body: BodyDescription(
                mediaTypes: RequestReader.jsonTypes, schema: .object(properties)),
            print: { request, draft in
                for print in prints { print(request, &draft) }
                var writer = JSONWriter(capacity: 1024)
                writer.object { for member in members { member(request, &$0) } }
                draft.body = (RequestReader.jsonTypes[0], writer.bytes)
            },
            read: { reader in
                let request = read(&reader)
                reader.rejectUnknownMembers(known: names)
                return request
            })
    }

    private init(
        list: [ParameterDescription], body: BodyDescription?,
        print: @escaping @Sendable (Request, inout RequestDraft) -> Void,
        read: @escaping @Sendable (inout RequestReader) -> Request?
    ) {
        self.list = list
        self.body = body
        self.print = print
        self.read = read
    }

    /// The same parts for a request that wraps this one.
    package func mapped<Wrapper: Sendable>(
        _ wrap: @escaping @Sendable (Request) -> Wrapper,
        _ unwrap: @escaping @Sendable (Wrapper) -> Request
    ) -> Parameters<Wrapper> {
        Parameters<Wrapper>(
            list: list, body: body, print: { [print] in print(unwrap($0), &$1) },
            read: { [read] in read(&$0).map(wrap) })
    }

    /// Parses a received request.
    func parse(_ source: RequestSource) throws(RequestValidationError) -> Request {
        var reader = RequestReader(source)
        let request = read(&reader)
        reader.rejectUnknownParameters(known: list)
        if body == nil { reader.rejectBody() }
        if let error = reader.error { throw error }
        // Not reached: a part without a value has reported a fault.
        guard let request else { throw RequestValidationError(.malformed, details: []) }
        return request
    }
}

extension BackendAPIRequest {
    /// Parses a received request.
    ///
    /// - Throws: an error with every fault of the request.
    package init(parsing source: RequestSource) throws(RequestValidationError) {
        self = try Self.parameters.parse(source)
    }
}

/// Turns a typed request into an HTTP request: the inverse of `BackendAPIRequest.init(parsing:)`.
///
/// Functions; call them on any thread.
///
/// ```swift
/// let target = RequestPrinter.target(of: FetchArticlesRequest(tag: "baking", limit: 5))
/// ```
package enum RequestPrinter {
    /// The whole request; the client adds `Host` and credentials. A value that is not valid in a
    /// header field is omitted, and the fields record its name (`HTTPFields.rejectedName`).
    package static func print<Request: BackendAPIRequest>(_ request: Request) -> HTTPRequest {
        print(request, accepting: ResponseMapper<Request.Item>().accept)
    }

    /// - Parameter accept: the field of the mapper for the response, if the caller has it already.
    package static func print<Request: BackendAPIRequest>(
        _ request: Request, accepting accept: HTTPFields
    ) -> HTTPRequest {
        var draft = draft(of: request, accept)
        if let body = draft.body { draft.fields.append(.contentType, body.mediaType) }
        guard let target = RequestTarget(target(of: draft, Request.endpoint)) else {
            preconditionFailure("programmer error: an encoded path and query are not a target")
        }
        return HTTPRequest(
            Request.endpoint.method, target, fields: draft.fields, body: draft.body?.bytes ?? [])
    }

    /// Path and query, encoded, as in `Location` and `Link`.
    package static func target<Request: BackendAPIRequest>(of request: Request) -> String {
        let target = target(of: draft(of: request, HTTPFields()), Request.endpoint)
        return String(decoding: target, as: UTF8.self)
    }

    private static func draft<Request: BackendAPIRequest>(
        of request: Request, _ fields: HTTPFields
    ) -> RequestDraft {
        var draft = RequestDraft(fields: fields)
        Request.parameters.print(request, &draft)
        return draft
    }

    private static func target(of draft: RequestDraft, _ endpoint: Endpoint) -> [UInt8] {
        let path = endpoint.template.path(draft.path)
        return draft.query.items.isEmpty ? path : path + "?\(draft.query.encoded)".utf8
    }
}

/// The parts of a request while it is being printed.
struct RequestDraft {
    var path: [(name: String, value: String)] = []
    var query = QueryItems()
    var fields: HTTPFields
    var body: (mediaType: String, bytes: [UInt8])?
}

/// One part of a request: how it is obtained from the request's value, printed and read. See
/// ``Parameters``.
public struct RequestPart<Request, Value>: Sendable {
    let description: PartDescription
    let print: @Sendable (Request, inout RequestDraft) -> Void
    /// Reads the value, or reports a fault and returns `nil`.
    let read: @Sendable (inout RequestReader) -> Value?
    /// Writes the member of the body that the part is; `nil` for other parts.
    var member: (@Sendable (Request, inout JSONWriter) -> Void)?
}

/// A description of a part without its types. It is not nested in the generic type because the
/// compiler crashes on such an enum in a pack expansion, as of Swift 6.3.
enum PartDescription: Sendable {
    case parameter(ParameterDescription)
    case body(BodyDescription)
    case member(JSONSchema.Property)
}

extension RequestPart {
    /// A segment of the path.
    public static func path(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value, _ format: TextCodec<Value>
    ) -> RequestPart {
        RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .path, schema: format.schema, isRequired: true,
                    limitCount: 1)),
            print: { $1.path.append((name, format.print(get($0)))) },
            read: { $0.pathValue(name, format) })
    }

    /// An optional query parameter.
    public static func query<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value,
        _ format: TextCodec<Wrapped>
    ) -> RequestPart where Value == Wrapped? {
        RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .query, schema: format.schema, isRequired: false,
                    limitCount: 1)),
            print: { request, draft in
                guard let value = get(request) else { return }
                draft.query.items.append(QueryItems.Item(name, format.print(value)))
            },
            read: { $0.queryValue(name, format) })
    }

    /// A query parameter without which the request is rejected.
    public static func requiredQuery(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value, _ format: TextCodec<Value>
    ) -> RequestPart {
        RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .query, schema: format.schema, isRequired: true,
                    limitCount: 1)),
            print: { $1.query.items.append(QueryItems.Item(name, format.print(get($0)))) },
            read: { $0.requiredQueryValue(name, format) })
    }

    /// A query parameter that may be repeated.
    public static func queryList<Element>(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value,
        _ format: TextCodec<Element>, limit: Int
    ) -> RequestPart where Value == [Element] {
        RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .query, schema: format.schema, isRequired: false,
                    limitCount: limit)),
            print: { request, draft in
                for value in get(request) {
                    draft.query.items.append(QueryItems.Item(name, format.print(value)))
                }
            },
            read: { $0.queryValues(name, format, limit: limit) })
    }

    /// An optional header field; a list-valued field may consist of several lines.
    public static func header<Wrapped>(
        _ name: String, _ get: @escaping @Sendable (Request) -> Value,
        _ format: TextCodec<Wrapped>
    ) -> RequestPart where Value == Wrapped? {
        guard let field = HTTPFieldName(name) else {
            preconditionFailure("programmer error: \(name) is not a valid header field name")
        }
        return RequestPart(
            description: .parameter(
                ParameterDescription(
                    name: name, place: .header, schema: format.schema, isRequired: false,
                    limitCount: 1)),
            print: { request, draft in
                if let value = get(request) { draft.fields.append(field, format.print(value)) }
            },
            read: { $0.headerValue(name, format) })
    }

    /// A JSON body.
    public static func body(_ get: @escaping @Sendable (Request) -> Value) -> RequestPart
    where Value: JSONRepresentable {
        json(get, ["application/json"])
    }

    /// A member of the JSON object that is the body: all members of a request make one, in their
    /// order, without a type of its own. A request with members has no other body.
    ///
    /// `.member(.required("email", \.email, .text(.line(3...254))))`
    public static func member(_ field: Field<Request, Value>) -> RequestPart {
        RequestPart(
            description: .member(field.property), print: { _, _ in },
            read: { $0.member(field.property.name, field.read) },
            member: { field.write($0, nil, &$1) })
    }

    /// A JSON body, which may be left out.
    public static func optionalBody<Wrapped: JSONRepresentable>(
        _ get: @escaping @Sendable (Request) -> Value
    ) -> RequestPart where Value == Wrapped? {
        let mediaTypes = ["application/json"]
        let format = Wrapped.format
        return RequestPart(
            description: .body(
                BodyDescription(mediaTypes: mediaTypes, schema: format.schema, isRequired: false)),
            print: { request, draft in
                guard let value = get(request) else { return }
                var writer = JSONWriter(capacity: 1024)
                format.write(value, nil, &writer)
                draft.body = (mediaTypes[0], writer.bytes)
            },
            read: { reader in
                guard reader.hasBody else { return .some(nil) }
                return reader.json(mediaTypes, format).map(Optional.some)
            })
    }

    /// A merge patch (RFC 7396). `application/json` is accepted too, because it is read the same
    /// way and many clients can send nothing else.
    public static func mergePatch(_ get: @escaping @Sendable (Request) -> Value) -> RequestPart
    where Value: JSONRepresentable {
        json(get, ["application/merge-patch+json", "application/json"])
    }

    /// A body of raw bytes.
    public static func bytes(
        _ get: @escaping @Sendable (Request) -> Value, mediaTypes: [String]
    ) -> RequestPart where Value == [UInt8] {
        RequestPart(
            description: .body(BodyDescription(mediaTypes: mediaTypes, schema: nil)),
            print: { $1.body = (mediaTypes.first ?? "application/octet-stream", get($0)) },
            read: { $0.bytes(mediaTypes) })
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private static func json(
        _ get: @escaping @Sendable (Request) -> Value, _ mediaTypes: [String]
    ) -> RequestPart where Value: JSONRepresentable {
        let format = Value.format
        return RequestPart(
            description: .body(BodyDescription(mediaTypes: mediaTypes, schema: format.schema)),
            print: { request, draft in
                var writer = JSONWriter(capacity: 1024)
                format.write(get(request), nil, &writer)
                draft.body = (mediaTypes.first ?? "application/json", writer.bytes)
            },
            read: { $0.json(mediaTypes, format) })
    }
}

extension PathTemplate {
    /// The values of the parameters in a path; `nil` if the path does not match the template.
    func values(in path: [String]) -> [String: String]? {
        var path = path
        if description.utf8.last == UInt8(ascii: "/"), path.popLast() != "" { return nil }
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal == text else { return nil }
            case .parameter(let name): values[name] = text
            }
        }
        return values
    }

    /// The path with these values for the parameters, percent-encoded.
    func path(_ values: [(name: String, value: String)]) -> [UInt8] {
        var path: [UInt8] = []
        path.reserveCapacity(description.utf8.count + values.reduce(0) { $0 + $1.value.utf8.count })
        for segment in segments {
            path.append(UInt8(ascii: "/"))
            switch segment {
            case .literal(let literal): path += literal.utf8
            case .parameter(let name):
                guard let value = values.first(where: { $0.name == name })?.value else { continue }
                path += PercentEncoding.encodeSegment(value).utf8
            }
        }
        if description.utf8.last == UInt8(ascii: "/") { path.append(UInt8(ascii: "/")) }
        return path
    }
}
