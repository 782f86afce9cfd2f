public import HTTP

/// Collects routes and middleware and builds a router once.
public struct RouterBuilder {
    private var middleware: [any Middleware] = []
    private var routes: [Entry] = []
    private let cache: ResponseCache?
    private let readers: (any PublicReaders)?

    /// - Parameters:
    ///   - cache: Serves stored responses without calling handlers and their middleware again.
    ///   - readers: Identifies clients that are served from the cache in spite of their
    ///     credentials; `nil`: none are.
    public init(cache: ResponseCache? = nil, readers: (any PublicReaders)? = nil) {
        self.cache = cache
        self.readers = readers
    }

    private struct Entry {
        let method: HTTPMethod
        let template: String
        let takesBody: Bool
        let admit: HTTPAdmission?
        let handler: HTTPHandler
    }

    /// Wraps all handlers in middleware; the first added is the outermost.
    public mutating func use(_ middleware: any Middleware) { self.middleware.append(middleware) }

    /// Handles requests with this method for paths of this form: `/v1/articles/{id}`.
    ///
    /// - Parameters:
    ///   - takesBody: Whether requests may have a body; by default for methods that write. An
    ///     unexpected body is rejected by the head and never read into memory.
    ///   - admit: Decides on each request before its body is read, and again afterwards.
    public mutating func on(
        _ method: HTTPMethod, _ template: String, takesBody: Bool? = nil,
        admit: HTTPAdmission? = nil, _ handler: @escaping HTTPHandler
    ) {
        routes.append(
            Entry(
                method: method, template: template, takesBody: takesBody ?? !method.isSafe,
                admit: admit, handler: handler))
    }

    /// - Throws: For malformed templates, and routes that match the same requests.
    public func build() throws(RouterError) -> Router {
        var nodes = [Draft()]
        for route in routes {
            let path = try PathTemplate(route.template)
            var node = 0
            for part in path.parts { node = Self.child(of: node, for: part, in: &nodes) }
            if let other = nodes[node].routes.first(where: { $0.method == route.method }) {
                throw .conflict(
                    method: route.method.rawValue, other.template, route.template)
            }
            let handler = middleware.reversed().reduce(route.handler) { $1.around($0) }
            nodes[node].routes.append(
                Router.Route(
                    route.method, route.template, path, takesBody: route.takesBody, route.admit,
                    handler))
        }
        return Router(
            root: Self.node(0, nodes), methods: routes.map(\.method), cache: cache,
            readers: readers)
    }

    /// A node while routes are being added.
    private struct Draft {
        var literals: [(bytes: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [Router.Route] = []
    }

    private static func child(
        of node: Int, for part: PathTemplate.Part, in nodes: inout [Draft]
    ) -> Int {
        switch part {
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

    private static func node(_ index: Int, _ nodes: [Draft]) -> Router.Node {
        let draft = nodes[index]
        return Router.Node(
            draft.literals.map { ($0.bytes, node($0.node, nodes)) },
            draft.parameter.map { node($0, nodes) }, draft.routes)
    }
}
