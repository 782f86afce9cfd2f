package import BroadsheetHTTP

/// Reads the parts of a request and collects their faults.
///
/// A faulty path, query or header makes the request malformed (400), and so does a body that is
/// missing or is not JSON; a body of another media type is unsupported (415); a body with invalid
/// values is invalid (422). All faults are reported, and the most severe one decides the status.
struct RequestReader {
    let source: RequestSource
    private let query: QueryItems
    private var reason: RequestValidationError.Reason?
    private var details: [Problem.Detail] = []
    private var mediaTypes: [String] = []
    /// The members of the body, once they have been read; the inner `nil` if the body is faulty.
    private var members: [JSONValue.Member]??

    static let jsonTypes = ["application/json"]

    init(_ source: RequestSource) {
        self.source = source
        switch source.query {
        case .success(let query): self.query = query
        case .failure(let error):
            query = QueryItems()
            reject(.malformed, error.detail)
        }
    }

    /// All faults; `nil` if there are none.
    var error: RequestValidationError? {
        reason.map { RequestValidationError($0, details: details, mediaTypes: mediaTypes) }
    }

    mutating func reject(_ reason: RequestValidationError.Reason, _ detail: Problem.Detail) {
        self.reason = max(self.reason ?? reason, reason)
        if details.count < JSONReader.limitFaults { details.append(detail) }
    }

    // MARK: Path, query, headers

    mutating func pathValue<Value>(_ name: String, _ format: TextCodec<Value>) -> Value? {
        guard let text = source.path[name] else {
            reject(.malformed, Problem.Detail("is missing", at: .parameter(name)))
            return nil
        }
        return accept(text, format, at: .parameter(name))
    }

    /// The outer `nil` means that the value is faulty, the inner `nil` that it is absent.
    mutating func queryValue<Value>(_ name: String, _ format: TextCodec<Value>) -> Value?? {
        let texts = query.values(of: name)
        guard let text = texts.first else { return .some(nil) }
        guard texts.count == 1 else {
            reject(.malformed, Problem.Detail("must not be repeated", at: .parameter(name)))
            return nil
        }
        return accept(text, format, at: .parameter(name)).map(Optional.some)
    }

    mutating func requiredQueryValue<Value>(
        _ name: String, _ format: TextCodec<Value>
    ) -> Value? {
        guard let value = queryValue(name, format) else { return nil }
        // The parameters of a query that cannot be read are not known.
        if value == nil, case .success = source.query {
            reject(.malformed, Problem.Detail("is missing", at: .parameter(name)))
        }
        return value
    }

    mutating func queryValues<Value>(
        _ name: String, _ format: TextCodec<Value>, limit: Int
    ) -> [Value]? {
        let texts = query.values(of: name)
        guard texts.count <= limit else {
            let detail = "must not occur more than \(limit) times"
            reject(.malformed, Problem.Detail(detail, at: .parameter(name)))
            return nil
        }
        var values: [Value] = []
        for text in texts {
            if let value = accept(text, format, at: .parameter(name)) { values.append(value) }
        }
        return values.count == texts.count ? values : nil
    }

    /// The outer `nil` means that the value is faulty, the inner `nil` that it is absent. Several
    /// field lines are combined into one list.
    mutating func headerValue<Value>(_ name: String, _ format: TextCodec<Value>) -> Value?? {
        guard let text = HTTPFieldName(name).flatMap(source.fields.combined) else {
            return .some(nil)
        }
        return accept(text, format, at: .header(name)).map(Optional.some)
    }

    /// Rejects query items that are not parameters of the request.
    mutating func rejectUnknownParameters(known: [ParameterDescription]) {
        var seen: Set<String> = []
        for item in query.items where seen.insert(item.name).inserted {
            if known.contains(where: { $0.place == .query && $0.name == item.name }) { continue }
            reject(
                .malformed,
                Problem.Detail("is not a parameter of this request", at: .parameter(item.name)))
        }
    }

    private mutating func accept<Value>(
        _ text: String, _ format: TextCodec<Value>, at place: Problem.Place
    ) -> Value? {
        switch format.accept(text) {
        case .success(let value): return value
        case .failure(let fault):
            reject(.malformed, Problem.Detail(fault.message, at: place))
            return nil
        }
    }

    // MARK: Body

    mutating func json<Value>(_ mediaTypes: [String], _ format: JSONCodec<Value>) -> Value? {
        guard let bytes = bytes(mediaTypes) else { return nil }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            let place = Problem.Place.pointer(error.path.pointer)
            reject(.malformed, Problem.Detail("is not valid JSON: \(error.message)", at: place))
            return nil
        }
        var reader = JSONReader(.strict)
        let result = format.read(value, &reader)
        reject(reader.faults)
        return result
    }

    /// Reads a member of the body; `read` receives `nil` for one that is absent.
    mutating func member<Value>(
        _ name: String, _ read: (JSONValue?, inout JSONReader) -> Value?
    ) -> Value? {
        guard let members = objectMembers() else { return nil }
        var reader = JSONReader(.strict)
        let value = read(members.first { $0.name == name }?.value, &reader)
        reject(reader.faults)
        return value
    }

    /// Rejects members of the body that no part has read.
    mutating func rejectUnknownMembers(known: [String]) {
        for member in objectMembers() ?? [] where !known.contains(member.name) {
            var reader = JSONReader(.strict)
            reader.reading(.name(member.name.excerpt)) { $0.report(.unknown) }
            reject(reader.faults)
        }
    }

    /// The members of the body, whose own faults are reported once.
    private mutating func objectMembers() -> [JSONValue.Member]? {
        if let members { return members }
        var found: [JSONValue.Member]?
        if let value = json(Self.jsonTypes, JSONCodec<JSONValue>.anything) {
            if case .object(let members) = value {
                found = members
            } else {
                var reader = JSONReader(.strict)
                reader.report(.invalid(expected: "an object", found: value.kind))
                reject(reader.faults)
            }
        }
        members = .some(found)
        return found
    }

    private mutating func reject(_ faults: [JSONFault]) {
        for fault in faults {
            reject(.invalid, Problem.Detail(fault.message, at: .pointer(fault.path.pointer)))
        }
    }

    mutating func bytes(_ mediaTypes: [String]) -> [UInt8]? {
        guard !source.body.isEmpty else {
            let types = mediaTypes.joined(separator: " or ")
            reject(.malformed, Problem.Detail("is missing; send \(types)", at: .pointer("")))
            return nil
        }
        return hasSupportedCoding() && hasMediaType(among: mediaTypes) ? source.body : nil
    }

    var hasBody: Bool { !source.body.isEmpty }

    mutating func rejectBody() {
        guard !source.body.isEmpty else { return }
        reject(.malformed, Problem.Detail("must be empty for this request", at: .pointer("")))
    }

    private mutating func hasSupportedCoding() -> Bool {
        guard let coding = source.fields.combined(.contentEncoding),
            coding.lowercased() != "identity"
        else { return true }
        let detail = "is not supported; send the body without a content coding"
        reject(.unsupportedMediaType, Problem.Detail(detail, at: .header("Content-Encoding")))
        return false
    }

    private mutating func hasMediaType(among mediaTypes: [String]) -> Bool {
        let texts = source.fields.values(of: .contentType)
        guard texts.count <= 1 else {
            reject(
                .malformed, Problem.Detail("must not be repeated", at: .header("Content-Type")))
            return false
        }
        let type = texts.first.flatMap { MediaType($0) }
        let charset = type?.parameter("charset")?.lowercased() ?? "utf-8"
        if let type, mediaTypes.contains(where: type.is), charset == "utf-8" { return true }
        self.mediaTypes = mediaTypes
        let types = mediaTypes.joined(separator: " or ")
        let detail =
            texts.isEmpty ? "is missing; it must be \(types)" : "must be \(types), in UTF-8"
        reject(.unsupportedMediaType, Problem.Detail(detail, at: .header("Content-Type")))
        return false
    }
}

extension QueryItems.ParsingError {
    fileprivate var detail: Problem.Detail {
        switch self {
        case .encoding(let position, let error):
            Problem.Detail("Part \(position) of the query \(error.words)")
        case .noName(let position): Problem.Detail("Part \(position) of the query has no name")
        case .noValue(let name):
            Problem.Detail(
                "has no value; write `=` after the name for an empty value", at: .parameter(name))
        case .tooMany(let limit): Problem.Detail("The query has more than \(limit) parts")
        }
    }
}

extension PercentEncoding.DecodingError {
    fileprivate var words: String {
        switch self {
        case .badEscape: "has a `%` that is not followed by two hexadecimal digits"
        case .invalidUTF8: "is not UTF-8"
        case .nul: "contains NUL"
        }
    }
}

/// A received HTTP request, from which the contract parses a typed one.
///
/// All faults of a request are reported, up to 100.
///
/// ```swift
/// let request = RequestPrinter.print(FetchTagsRequest(limit: 5))
/// if let source = RequestSource(request, for: FetchTagsRequest.endpoint) {
///     received = try FetchTagsRequest(parsing: source)
/// }
/// ```
package struct RequestSource: Sendable {
    let path: [String: String]
    let query: Result<QueryItems, QueryItems.ParsingError>
    let fields: HTTPFields
    /// Empty if there is none.
    let body: [UInt8]

    /// - Parameters:
    ///   - request: the received request.
    ///   - path: the decoded values of the path's parameters, by their names.
    package init(_ request: HTTPRequest, path: [String: String]) {
        self.path = path
        fields = request.fields
        body = request.body
        query = Result { () throws(QueryItems.ParsingError) in
            try QueryItems(parsing: request.target.query ?? [])
        }
    }

    /// The source of a request; `nil` if its path does not match the template of `endpoint`.
    package init?(_ request: HTTPRequest, for endpoint: Endpoint) {
        guard let segments = try? request.target.segments(),
            let path = endpoint.template.values(in: segments)
        else { return nil }
        self.init(request, path: path)
    }
}

/// The reason why a request does not match the contract: all of its faults.
///
/// ```swift
/// do throws(RequestValidationError) {
///     received = try FetchTagsRequest(parsing: source)
/// } catch {
///     problem = error.problem()
/// }
/// ```
package struct RequestValidationError: Error, Sendable, Hashable {
    package var reason: Reason
    /// In the order of the request's parts, followed by unexpected parts; at most 100.
    package var details: [Problem.Detail]
    /// The media types that the body may have, for `Accept` or `Accept-Patch` in a 415.
    package var mediaTypes: [String]

    package init(_ reason: Reason, details: [Problem.Detail], mediaTypes: [String] = []) {
        self.reason = reason
        self.details = details
        self.mediaTypes = mediaTypes
    }

    /// The most severe fault decides the status.
    package enum Reason: Sendable, Hashable, Comparable {
        /// The body is well-formed but contains invalid values: 422.
        case invalid
        /// The body has an unsupported media type or content coding: 415.
        case unsupportedMediaType
        /// The path, query or a header is faulty, or the body is missing or not JSON: 400.
        case malformed
    }

    /// The problem that is sent to the client.
    package func problem(instance: String? = nil) -> Problem {
        let kind: Problem.Kind =
            switch reason {
            case .invalid: .invalidValues
            case .unsupportedMediaType: .unsupportedMediaType
            case .malformed: .malformedRequest
            }
        return Problem(kind, detail: details.first?.sentence, instance: instance, errors: details)
    }
}

extension InvalidValue {
    /// The faults of a request that was not sent, each at its place.
    package init(_ error: RequestValidationError) {
        self.init(
            faults: error.details.map { detail in
                let names: [Substring] =
                    switch detail.place {
                    case .pointer(let pointer)?: pointer.split(separator: "/")
                    case .parameter(let name)?, .header(let name)?: [name[...]]
                    case nil: []
                    }
                return JSONFault(
                    path: JSONPath(names.map { .name(String($0)) }),
                    reason: .rejected(detail.detail))
            })
    }
}
