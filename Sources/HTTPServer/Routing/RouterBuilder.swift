public import HTTP

/// Collects routes and builds a router once.
public struct RouterBuilder<Value: Sendable> {
    private var entries: [Entry] = []

    private struct Entry {
        let method: HTTPMethod
        let template: String
        let value: Value
    }

    public init() {}

    /// Adds a value for requests with this method for paths of this form: `/v1/articles/{id}`.
    public mutating func add(_ value: Value, for method: HTTPMethod, _ template: String) {
        entries.append(Entry(method: method, template: template, value: value))
    }

    /// - Throws: For malformed templates, and routes that match the same requests.
    public func build() throws(RouterError) -> Router<Value> {
        var nodes = [Draft()]
        for entry in entries {
            let path = try PathTemplate(entry.template)
            var node = 0
            for part in path.parts { node = Self.child(of: node, for: part, in: &nodes) }
            if let other = nodes[node].routes.first(where: { $0.method == entry.method }) {
                throw .conflict(
                    method: entry.method.rawValue, other.template, entry.template)
            }
            nodes[node].routes.append(
                Router.Route(entry.method, entry.template, path, entry.value))
        }
        return Router(root: Self.node(0, nodes), methods: entries.map(\.method))
    }

    /// A node while routes are being added.
    private struct Draft {
        var literals: [(bytes: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [Router<Value>.Route] = []
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
    /// - Parameter takesBody: Whether requests may have a body; by default for methods that write.
    public mutating func on(
        _ method: HTTPMethod, _ template: String, takesBody: Bool? = nil,
        _ handler: @escaping HTTPHandler
    ) {
        protect(method, template, takesBody: takesBody) { _, _ in .admitted(handler) }
    }

    /// Handles the requests that are admitted; decided before a body is read, and again afterwards.
    public mutating func protect(
        _ method: HTTPMethod, _ template: String, takesBody: Bool? = nil,
        by admit: @escaping HTTPAdmission
    ) {
        add(
            HTTPRoute(takesBody: takesBody ?? !method.isSafe, admit: admit), for: method, template)
    }
}
