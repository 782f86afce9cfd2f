public import HTTP

/// Gathers routes and middleware and makes a router of them, once.
public struct RouterBuilder {
    private var middleware: [any Middleware] = []
    private var routes: [Entry] = []
    private let cache: ResponseCache?
    private let readers: (any PublicReaders)?

    /// - Parameters:
    ///   - cache: what handlers put into it goes out without asking them, and middleware around
    ///     them, again.
    ///   - readers: who gets that, too, in spite of credentials; `nil`: nobody.
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

    /// Puts middleware around all handlers; the first stands outermost.
    public mutating func use(_ middleware: any Middleware) { self.middleware.append(middleware) }

    /// Answers requests of this method to paths of this form: `/v1/articles/{id}`.
    ///
    /// - Parameters:
    ///   - takesBody: whether requests may have a body; by default those of methods that write. A
    ///     body that is not taken is rejected by the head, and never read into memory.
    ///   - admit: looks at each before its body is read, and at one with a body again behind it.
    public mutating func on(
        _ method: HTTPMethod, _ template: String, takesBody: Bool? = nil,
        admit: HTTPAdmission? = nil, _ handler: @escaping HTTPHandler
    ) {
        routes.append(
            Entry(
                method: method, template: template, takesBody: takesBody ?? !method.isSafe,
                admit: admit, handler: handler))
    }

    /// - Throws: for malformed templates, and routes that take the same requests.
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

    /// A node while routes are still added.
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
