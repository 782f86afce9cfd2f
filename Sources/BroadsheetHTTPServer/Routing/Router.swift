public import BroadsheetHTTP

/// The routes that an ``HTTPServer`` serves.
public typealias HTTPRouter = Router<HTTPRoute>

/// Finds a value by the method and path of a request, in an immutable trie of path segments.
///
/// Literals take precedence over parameters. Unless a route defines them, `HEAD` is routed like
/// `GET`, and `OPTIONS` is answered by the router. Any other method at a known path receives a 405.
/// Safe to use from any thread.
///
/// ```swift
/// var routes = HTTPRouterBuilder()
/// routes.on(.get, "/articles/latest") { _, _ in HTTPResponse(.ok) }
/// routes.on(.get, "/articles/{id}") { _, _ in HTTPResponse(.notFound) }
/// let router: HTTPRouter = try routes.build()
/// ```
public struct Router<Value: Sendable>: Sendable {
    /// A class, like the nodes: requests pass on one reference.
    final class Route: Sendable {
        let method: HTTPMethod
        let template: String
        let names: [String]
        /// The indices of the segments that the parameters match.
        let places: [Int]
        let value: Value

        init(_ method: HTTPMethod, _ template: PathTemplate, _ value: Value) {
            self.method = method
            self.template = template.description
            names = template.parameters
            places = template.segments.indices.filter {
                if case .parameter = template.segments[$0] { true } else { false }
            }
            self.value = value
        }
    }

    final class Node: Sendable {
        let literals: [(bytes: [UInt8], node: Node)]
        let parameter: Node?
        let routes: [Route]

        init(_ literals: [(bytes: [UInt8], node: Node)], _ parameter: Node?, _ routes: [Route]) {
            self.literals = literals
            self.parameter = parameter
            self.routes = routes
        }
    }

    /// The result of routing a request.
    enum Match {
        case route(Route, PathParameters)
        /// With the template of the matching path, if any.
        case rejected(HTTPError, template: String? = nil)
        /// `OPTIONS`, answered by the router.
        case options([HTTPMethod], template: String? = nil)
    }

    private let root: Node
    /// The methods of all routes, for `OPTIONS *`.
    private let methods: [HTTPMethod]
    /// The method and template of each route: `GET /v1/articles/{id}`.
    package let endpoints: [String]

    init(root: Node, endpoints: [(method: HTTPMethod, template: String)]) {
        self.root = root
        methods = Self.allowed(endpoints.map(\.method))
        self.endpoints = endpoints.map { "\($0.method) \($0.template)" }
    }

    /// The route for this method and target.
    func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
        switch target.form {
        case .asterisk: return .options(methods)
        case .authority:
            return .rejected(HTTPError(.notImplemented, "CONNECT is not supported."))
        case .origin, .absolute: break
        }
        let segments: PathSegments
        do throws(RequestTarget.PathError) {
            segments = try PathSegments(target)
        } catch {
            return .rejected(HTTPError(.badRequest, Self.detail(error)))
        }
        guard let node = Self.find(root, segments, 0) else {
            return .rejected(HTTPError(.notFound, "There is no resource at this path."))
        }
        return match(method, at: node, segments)
    }

    private func match(_ method: HTTPMethod, at node: Node, _ segments: PathSegments) -> Match {
        for route in node.routes where route.method == method {
            return .route(route, segments.parameters(route.names, at: route.places))
        }
        if method == .head, let route = node.routes.first(where: { $0.method == .get }) {
            return .route(route, segments.parameters(route.names, at: route.places))
        }
        let allow = Self.allowed(node.routes.map(\.method))
        let template = node.routes.first?.template
        if method == .options { return .options(allow, template: template) }
        return .rejected(
            HTTPError(
                .methodNotAllowed, "\(method) is not allowed at this path.", allow: allow),
            template: template)
    }

    /// The node with routes for the segments from `depth` on. The recursion is no deeper than the
    /// longest template.
    private static func find(
        _ node: Node, _ segments: borrowing PathSegments, _ depth: Int
    ) -> Node? {
        guard depth < segments.count else { return node.routes.isEmpty ? nil : node }
        for literal in node.literals where segments.isEqual(depth, literal.bytes) {
            if let found = find(literal.node, segments, depth + 1) { return found }
        }
        guard let parameter = node.parameter, !segments.isEmpty(depth) else { return nil }
        return find(parameter, segments, depth + 1)
    }

    private static func allowed(_ methods: [HTTPMethod]) -> [HTTPMethod] {
        var all = Set(methods)
        if all.contains(.get) { all.insert(.head) }
        all.insert(.options)
        return all.sorted { $0.rawValue < $1.rawValue }
    }

    private static func detail(_ error: RequestTarget.PathError) -> String {
        switch error {
        case .dotSegment: "The path contains a dot segment."
        case .encoding(.badEscape): "The path contains an invalid percent-encoding."
        case .encoding(.invalidUTF8): "The path is not valid UTF-8."
        case .encoding(.nul): "The path contains a NUL character."
        }
    }
}

/// Collects routes and builds a router once.
///
/// A value; use it anywhere, before the server starts. Two routes that match the same requests are
/// found when the router is built, not when the first request arrives.
///
/// ```swift
/// var routes = HTTPRouterBuilder()
/// routes.on(.get, "/articles/{id}") { _, _ in HTTPResponse(.ok) }
/// routes.on(.delete, "/articles/{id}") { _, _ in HTTPResponse(.noContent) }
/// let router = try routes.build()
/// ```
public struct RouterBuilder<Value: Sendable> {
    private var entries: [Entry] = []

    private struct Entry {
        let method: HTTPMethod
        let template: PathTemplate
        let value: Value
    }

    public init() {}

    /// Adds a value for requests with this method for paths of this form: `/v1/articles/{id}`.
    public mutating func add(_ value: Value, for method: HTTPMethod, _ template: PathTemplate) {
        entries.append(Entry(method: method, template: template, value: value))
    }

    /// - Throws: For malformed templates, and routes that match the same requests.
    public func build() throws(RouterError) -> Router<Value> {
        var nodes = [Draft()]
        for entry in entries {
            let template = entry.template
            if let fault = template.fault { throw .malformed(template.description, fault) }
            var node = 0
            // The path `/` has one segment, which is empty.
            let segments = template.segments.isEmpty ? [.literal("")] : template.segments
            for segment in segments { node = Self.child(of: node, for: segment, in: &nodes) }
            if let other = nodes[node].routes.first(where: { $0.method == entry.method }) {
                throw .conflict(
                    method: entry.method.rawValue, other.template, template.description)
            }
            nodes[node].routes.append(Router.Route(entry.method, template, entry.value))
        }
        return Router(
            root: Self.node(0, nodes),
            endpoints: entries.map { ($0.method, $0.template.description) })
    }

    /// A node while routes are being added.
    private struct Draft {
        var literals: [(bytes: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [Router<Value>.Route] = []
    }

    private static func child(
        of node: Int, for segment: PathTemplate.Segment, in nodes: inout [Draft]
    ) -> Int {
        switch segment {
        case .parameter:
            if let child = nodes[node].parameter { return child }
            nodes[node].parameter = nodes.count
        case .literal(let text):
            let bytes = Array(text.utf8)
            if let known = nodes[node].literals.first(where: { $0.bytes == bytes }) {
                return known.node
            }
            nodes[node].literals.append((bytes, nodes.count))
        }
        nodes.append(Draft())
        return nodes.count - 1
    }

    private static func node(_ index: Int, _ nodes: [Draft]) -> Router<Value>.Node {
        let draft = nodes[index]
        return Router<Value>.Node(
            draft.literals.map { ($0.bytes, node($0.node, nodes)) },
            draft.parameter.map { node($0, nodes) }, draft.routes)
    }
}

/// Collects the routes of a server.
public typealias HTTPRouterBuilder = RouterBuilder<HTTPRoute>

extension RouterBuilder<HTTPRoute> {
    /// Handles all requests with this method for paths of this form: `/v1/articles/{id}`.
    ///
    /// - Parameter body: By default, methods that write take a whole one.
    public mutating func on(
        _ method: HTTPMethod, _ template: PathTemplate, body: HTTPRouteBody? = nil,
        _ handler: @escaping HTTPHandler
    ) {
        protect(method, template, body: body) { _, _ in .admitted(handler) }
    }

    /// Handles the requests that are admitted; decided before a body is read, and again afterwards.
    public mutating func protect(
        _ method: HTTPMethod, _ template: PathTemplate, body: HTTPRouteBody? = nil,
        by admit: @escaping HTTPAdmission
    ) {
        add(
            HTTPRoute(body: body ?? (method.isSafe ? .rejected : .whole()), admit: admit),
            for: method, template)
    }
}

extension PathTemplate {
    /// The reason why it cannot be the path of a route; `nil` if it can.
    fileprivate var fault: String? {
        guard description.hasPrefix("/") else { return "it does not start with /" }
        guard description == "/" || !"\(description)/".contains("//") else {
            return "a segment is empty"
        }
        guard Set(parameters).count == parameters.count else {
            return "a parameter name is repeated"
        }
        for segment in segments {
            switch segment {
            case .parameter(let name):
                guard !name.isEmpty, !name.contains(where: { "{}".contains($0) }) else {
                    return "a parameter needs a name"
                }
            case .literal(let text):
                guard !text.contains(where: { "{}%?#".contains($0) }), text != ".", text != ".."
                else { return "a segment is neither plain text nor one parameter" }
            }
        }
        return nil
    }
}

/// The reason why routes are invalid or conflict. See ``RouterBuilder``.
public enum RouterError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String, String)
    /// Two handlers match the same requests.
    case conflict(method: String, String, String)

    public var description: String {
        switch self {
        case .malformed(let template, let reason): "route \(template): \(reason)"
        case .conflict(let method, let first, let second):
            "routes \(first) and \(second) both handle \(method)"
        }
    }
}

/// The decoded segments of a path, without a copy if nothing is percent-encoded.
struct PathSegments {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]

    /// - Throws: For invalid percent-encodings and dot segments.
    init(_ target: RequestTarget) throws(RequestTarget.PathError) {
        // The path of an absolute form may be a slice of its own, not of the target.
        let path = target.form == .absolute ? Array(target.path)[...] : target.path
        if path.contains(UInt8(ascii: "%")) {
            (bytes, ranges) = Self.join(try target.segments())
            return
        }
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(8)
        var start = path.startIndex + 1
        // Invariant: the segments before `start` are in `ranges`, and none is a dot segment.
        for index in start...path.endIndex
        where index == path.endIndex || path[index] == UInt8(ascii: "/") {
            let isDots = path[start..<index].allSatisfy { $0 == UInt8(ascii: ".") }
            if isDots, (1...2).contains(index - start) { throw .dotSegment }
            ranges.append(start..<index)
            start = index + 1
        }
        bytes = target.form == .absolute ? Array(path) : target.bytes
        self.ranges = ranges
    }

    private static func join(_ segments: [String]) -> ([UInt8], [Range<Int>]) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for segment in segments {
            let start = bytes.count
            bytes += segment.utf8
            ranges.append(start..<bytes.count)
        }
        return (bytes, ranges)
    }

    var count: Int { ranges.count }

    func isEmpty(_ index: Int) -> Bool { ranges[index].isEmpty }

    func isEqual(_ index: Int, _ literal: [UInt8]) -> Bool {
        let range = ranges[index]
        guard range.count == literal.count else { return false }
        for offset in 0..<literal.count where bytes[range.lowerBound + offset] != literal[offset] {
            return false
        }
        return true
    }

    /// The parameters with these names at these positions.
    func parameters(_ names: [String], at places: [Int]) -> PathParameters {
        guard !names.isEmpty else { return PathParameters() }
        return PathParameters(
            names: names,
            values: places.map { String(decoding: bytes[ranges[$0]], as: UTF8.self) })
    }
}
