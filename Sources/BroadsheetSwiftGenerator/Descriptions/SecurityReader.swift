import ArticleAPI
import BroadsheetHTTP

/// The authentication of operations, in terms of the network layer.
struct SecurityReader {
    private let document: Document
    /// The duties of an app, for the header of the file; each once.
    private(set) var remarks: [String] = []

    init(_ document: Document) { self.document = document }

    /// The meaning of a scheme for a request.
    private enum Scheme {
        /// `Authorization: Bearer`, which `BackendAuth` sends.
        case bearer
        /// A field that is the same in all requests.
        case header(String)
        /// A parameter of each request.
        case query(String)
    }

    /// Returns true if an operation requires credentials, and the query parameters that contain
    /// them.
    mutating func read(
        _ operation: SchemaNode, _ schemas: inout SchemaReader
    ) -> (needsAccount: Bool, parameters: [String]) {
        guard let place = operation["security"] ?? document.root["security"],
            !place.items.isEmpty, !place.items.contains(where: { $0.members.isEmpty })
        else { return (false, []) }
        for requirement in place.items {
            let schemes = requirement.members.map { scheme($0.name) }
            guard !schemes.contains(where: { $0 == nil }) else { continue }
            var parameters: [String] = []
            for scheme in schemes.compactMap(\.self) {
                switch scheme {
                case .bearer: add("`BackendAuth(token:)` sends the token of the API.")
                case .header(let name):
                    add("The API key belongs in `BackendConfiguration.headers`, as \(name).")
                case .query(let name): parameters.append(name)
                }
            }
            return (true, parameters)
        }
        schemas.fault(place, "none of the ways to authenticate is supported")
        return (true, [])
    }

    private mutating func add(_ remark: String) {
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    private func scheme(_ name: String) -> Scheme? {
        let reference =
            "#/components/securitySchemes/"
            + name.replacing("~", with: "~0")
            .replacing("/", with: "~1")
        guard let target = document.target(reference, in: "securitySchemes"),
            let place = document.resolved(target, in: "securitySchemes")
        else { return nil }
        switch place.text("type") {
        case "http": return place.text("scheme")?.lowercased() == "bearer" ? .bearer : nil
        case "oauth2", "openIdConnect": return .bearer
        case "apiKey":
            guard let name = place.text("name"), SwiftLiteral.fitting(name) != nil else {
                return nil
            }
            switch place.text("in") {
            case "header" where HTTPFieldName(name) != nil: return .header(name)
            case "query": return .query(name)
            default: return nil
            }
        default: return nil
        }
    }
}
