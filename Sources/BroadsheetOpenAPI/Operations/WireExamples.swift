import ArticleAPI
import BroadsheetHTTP

/// Requests and responses as they are sent, which a description shows as examples.
///
/// `FetchTagsRequest.http` is a request of this type; `TagUsagePage.json` and
/// `TagUsagePage-empty.json` are values of the schema with this name.
///
/// ```swift
/// let examples = WireExamples([("Tag.json", Array(#"{"key": "rye", "name": "Rye"}"#.utf8))])
/// ```
public struct WireExamples: Sendable {
    private let files: [(name: String, bytes: [UInt8])]

    /// - Parameter files: The names and contents of the files.
    public init(_ files: [(name: String, bytes: [UInt8])]) {
        self.files = files.sorted { $0.name < $1.name }
    }

    /// The request with this name; `nil` if no file shows it.
    func request(_ name: String) -> ExampleRequest? {
        files.first { $0.name == "\(name).http" }.flatMap { ExampleRequest($0.bytes) }
    }

    /// The values of the schema with this name, by their own names.
    func values(of schema: String) -> [(name: String, value: JSONValue)] {
        files.compactMap { file in
            guard file.name.hasSuffix(".json") else { return nil }
            let parts = file.name.dropLast(".json".count).split(separator: "-", maxSplits: 1)
            guard parts.first.map(String.init) == schema,
                let value = try? JSONParser.parse(file.bytes)
            else { return nil }
            return (parts.count > 1 ? String(parts[1]) : "usual", value)
        }
    }
}

/// A request in its wire form.
struct ExampleRequest {
    private let segments: [String]
    private let query: QueryItems
    private let fields: [(name: String, value: String)]
    let body: JSONValue?

    /// `nil` unless the bytes are a request line, fields, an empty line and a body.
    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(
            separator: "\r\n", omittingEmptySubsequences: false)
        guard let line = lines.first?.split(separator: " "), line.count == 3,
            let end = lines.firstIndex(of: ""), let target = RequestTarget(line[1].utf8),
            let segments = try? target.segments(),
            let query = try? QueryItems(parsing: target.query ?? [])
        else { return nil }
        self.segments = segments
        self.query = query
        fields = lines[1..<end].compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        body = try? JSONParser.parse(
            Array(lines[(end + 1)...].joined(separator: "\r\n").utf8))
    }

    /// The value of a parameter, in the form that its schema has; `nil` if it is absent.
    func value(
        of parameter: ParameterDescription, in template: PathTemplate
    ) -> JSONValue? {
        let texts: [String]
        switch parameter.place {
        case .path:
            texts = zip(template.segments, segments).compactMap { segment, text in
                segment == .parameter(parameter.name) ? text : nil
            }
        case .query: texts = query.values(of: parameter.name)
        case .header:
            texts = fields.compactMap { field in
                field.name.lowercased() == parameter.name.lowercased() ? field.value : nil
            }
        }
        guard let first = texts.first else { return nil }
        if parameter.limitCount > 1 { return .strings(texts) }
        switch parameter.schema.unnamed {
        case .integer: return Int(first).map(JSONValue.integer)
        case .text(let text):
            guard case .fieldNames = text.form else { return .string(first) }
            return .strings(first.split(separator: ",").map(String.init))
        default: return .string(first)
        }
    }
}
