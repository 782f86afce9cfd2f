/// How the parts of a request are transferred: one line for each, used in both directions.
///
/// ```swift
/// Parameters(
///     Self.init, .path("id", \.id, .identifier()),
///     .header("If-Match", \.expected, .ifMatch), .mergePatch(\.changes))
/// ```
public struct Parameters<Request: Sendable>: Sendable {
    /// Path, query and header parameters, in their order.
    public let list: [ParameterDescription]
    /// The body, if the request has one.
    public let body: BodyDescription?
    let print: @Sendable (Request, inout RequestDraft) -> Void
    private let read: @Sendable (inout RequestReader) -> Request?

    /// - Parameters:
    ///   - make: Makes the request from the parts' values, in the order of the parts.
    ///   - part: The parts.
    public init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Request,
        _ part: repeat RequestPart<Request, each Value>
    ) {
        var list: [ParameterDescription] = []
        var body: BodyDescription?
        for part in repeat each part {
            switch part.description {
            case .parameter(let description): list.append(description)
            case .body(let description): body = description
            }
        }
        self.list = list
        self.body = body
        print = { request, draft in repeat (each part).print(request, &draft) }
        read = { reader in
            let results = (repeat (each part).read(&reader))
            do { return make(repeat try required(each results)) } catch { return nil }
        }
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
    func mapped<Wrapper: Sendable>(
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

/// The values that a path, query or header parameter accepts.
public struct ParameterDescription: Sendable, Hashable {
    public var name: String
    public var place: Place
    public var schema: JSONSchema
    public var isRequired: Bool
    /// How often it may occur.
    public var maximumCount: Int

    public enum Place: Sendable, Hashable {
        case path, query, header
    }
}

/// What a request's body may be.
public struct BodyDescription: Sendable, Hashable {
    /// Clients send the first one.
    public var mediaTypes: [String]
    /// `nil` for raw bytes.
    public var schema: JSONSchema?
}
