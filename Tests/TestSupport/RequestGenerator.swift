public import ArticleAPI
public import BroadsheetHTTP

/// Makes requests, as they arrive, from their contract alone: a new request is covered by being
/// registered.
public struct RequestGenerator {
    public var random: SplitMix64
    /// The parts that were present, and those left out: `/body/title`, `?limit`.
    public private(set) var present: Set<String> = []
    public private(set) var absent: Set<String> = []

    public init(seed: UInt64) { random = SplitMix64(seed: seed) }

    public mutating func request<Request: BackendAPIRequest>(_ type: Request.Type) -> HTTPRequest {
        var path = ""
        var query = QueryItems()
        var fields = HTTPFields()
        for segment in type.endpoint.template.segments {
            switch segment {
            case .literal(let text): path += "/\(text)"
            case .parameter(let name):
                let parameter = type.parameters.list.first { $0.name == name && $0.place == .path }
                path += "/" + PercentEncoding.encodeSegment(text(parameter?.schema))
            }
        }
        for parameter in type.parameters.list where parameter.place != .path {
            let fewest = parameter.isRequired ? 1 : 0
            let count = Int.random(in: fewest...min(3, parameter.limitCount), using: &random)
            note("?\(parameter.name)", isPresent: count > 0)
            for _ in 0..<count {
                let value = text(parameter.schema)
                if parameter.place == .query {
                    query.items.append(QueryItems.Item(parameter.name, value))
                } else if let name = HTTPFieldName(parameter.name) {
                    fields.append(name, value)
                }
            }
        }
        var body: [UInt8] = []
        if let description = type.parameters.body {
            fields[.contentType] = description.mediaTypes.randomElement(using: &random)
            body = self.body(description.schema)
        }
        let target = RequestTarget(path: path, query: query.items.isEmpty ? nil : query.encoded)
        return HTTPRequest(
            type.endpoint.method, target ?? RequestTarget(path: "/")!, fields: fields, body: body)
    }

    /// JSON of the schema or, without one, any bytes.
    private mutating func body(_ schema: JSONSchema?) -> [UInt8] {
        guard let schema else {
            return (0..<Int.random(in: 1...99, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
        }
        var writer = JSONWriter()
        json(schema, at: "").write(to: &writer)
        return writer.bytes
    }

    package mutating func json(_ schema: JSONSchema, at path: String) -> JSONValue {
        switch schema {
        case .boolean: return .boolean(Bool.random(using: &random))
        case .integer(let range): return number("\(integer(range))")
        case .fraction:
            return number("\(Double(Int.random(in: 0...1_000, using: &random)) / 1_000)")
        case .number: return number("\(Double(integer(-1_000_000...1_000_000)) / 64)")
        case .text, .choice: return .string(text(schema))
        case .array(let element, let count):
            let most = min(count.upperBound, count.lowerBound + 3)
            let length = Int.random(in: count.lowerBound...most, using: &random)
            return .array((0..<length).map { json(element, at: "\(path)/\($0)") })
        case .object(let properties): return object(properties, at: path)
        case .map(let element):
            return .object(
                ["a", "b"].map { JSONValue.Member(name: $0, value: json(element, at: "\(path)/*")) }
            )
        case .either(let schemas):
            guard let schema = schemas.randomElement(using: &random) else { return .null }
            return json(schema, at: path)
        case .nullable(let inner):
            return Int.random(in: 0..<4, using: &random) == 0 ? .null : json(inner, at: path)
        case .named(_, let inner): return json(inner, at: path)
        }
    }

    private mutating func object(_ properties: [JSONSchema.Property], at path: String) -> JSONValue
    {
        var members: [JSONValue.Member] = []
        for property in properties.shuffled(using: &random) {
            let isPresent = property.isRequired || Bool.random(using: &random)
            note("\(path)/\(property.name)", isPresent: isPresent)
            guard isPresent else { continue }
            let value = json(property.schema, at: "\(path)/\(property.name)")
            members.append(JSONValue.Member(name: property.name, value: value))
        }
        // A tag's key follows from its name.
        if let key = members.firstIndex(where: { $0.name == "key" }),
            case .string(let name)? = members.first(where: { $0.name == "name" })?.value
        {
            members[key].value = .string(ArticleTag(named: name).key)
        }
        return .object(members)
    }

    private mutating func note(_ place: String, isPresent: Bool) {
        if isPresent { present.insert(place) } else { absent.insert(place) }
    }

    private mutating func integer(_ range: ClosedRange<Int>) -> Int {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: range.lowerBound
        case 1: range.upperBound
        default: Int.random(in: range, using: &random)
        }
    }

    private func number(_ text: String) -> JSONValue {
        guard case .array(let items)? = try? JSONParser.parse(Array("[\(text)]".utf8)) else {
            return .null
        }
        return items[0]
    }
}
