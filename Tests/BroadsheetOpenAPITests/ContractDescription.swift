import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetResources

@testable import BroadsheetOpenAPI

/// The description of our own API, with the examples that the binary contains.
enum ContractDescription {
    static let examples: [(name: String, bytes: [UInt8])] = {
        let table = broadsheet_examples()
        return UnsafeBufferPointer(start: table.first, count: table.count).map { file in
            let bytes = [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.size))
            return (String(cString: file.name), bytes)
        }
    }()

    static let document =
        APIDescription(
            of: Contract.requests, version: "1", examples: WireExamples(examples)
        ).document

    /// The operation of a request.
    static func operation(of type: any BackendAPIRequest.Type) -> JSONValue? {
        let method = type.endpoint.method.rawValue.lowercased()
        return document["paths"]?[type.endpoint.template.description]?[method]
    }

    /// Every value in the document, with its JSON pointer.
    static let values: [(pointer: String, value: JSONValue)] = collect(document, at: "")

    private static func collect(
        _ value: JSONValue, at pointer: String
    ) -> [(pointer: String, value: JSONValue)] {
        let members = value.members.flatMap { collect($0.value, at: "\(pointer)/\($0.name)") }
        let items = value.items.enumerated().flatMap { collect($1, at: "\(pointer)/\($0)") }
        return [(pointer, value)] + members + items
    }
}
