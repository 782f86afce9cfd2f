import ArticleAdminAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleAPI
@testable import BroadsheetOpenAPI

/// Schemas as JSON Schema.
struct SchemaTableTests {
    private func written(_ schema: JSONSchema, _ direction: Direction) -> String {
        var table = SchemaTable(requests: [], responses: [])
        return text(table.write(schema, direction))
    }

    private func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        value.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `scalars have their limits`() {
        #expect(written(.boolean, .request) == #"{"type":"boolean"}"#)
        let integer = #"{"type":"integer","format":"int64","minimum":1,"maximum":9}"#
        #expect(written(.integer(1...9), .request) == integer)
        let open = #"{"type":"integer","format":"int64","minimum":0}"#
        #expect(written(.integer(0...Int.max), .response) == open)
        #expect(written(.choice(["a", "b"]), .request) == #"{"type":"string","enum":["a","b"]}"#)
        let token = #"{"type":"string","minLength":1,"maxLength":9,"pattern":"^[!-~]*$"}"#
        #expect(written(.text(TextSchema(.token, length: 1...9)), .request) == token)
        #expect(written(.either([]), .request) == "{}")
    }

    @Test func `null is added to every kind of schema`() {
        #expect(written(.nullable(.boolean), .request) == #"{"type":["boolean","null"]}"#)
        #expect(
            written(.nullable(.choice(["a"])), .request)
                == #"{"type":["string","null"],"enum":["a",null]}"#)
        #expect(
            written(.nullable(.either([.boolean])), .request)
                == #"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#)
        #expect(
            written(.nullable(.named("A", .boolean)), .request)
                == ##"{"$ref":"#/components/schemas/AOrNull"}"##)
        #expect(
            written(.nullable(.nullable(.named("A", .boolean))), .request)
                == ##"{"$ref":"#/components/schemas/AOrNull"}"##)
        #expect(written(.nullable(.either([])), .request) == "{}")
        #expect(
            written(.nullable(.nullable(.boolean)), .request) == #"{"type":["boolean","null"]}"#)
    }

    @Test func `a named schema that also accepts null has a name of its own`() throws {
        let kind = JSONSchema.named("Kind", .choice(["a", "b"]))
        let loaf = JSONSchema.object([
            JSONSchema.Property(name: "kind", schema: kind, presence: .optional),
            JSONSchema.Property(name: "other", schema: .nullable(kind), presence: .optional),
            JSONSchema.Property(
                name: "third", schema: kind, presence: .defaulted(.string("a"))),
            JSONSchema.Property(name: "last", schema: kind, presence: .required),
        ])
        var table = SchemaTable(requests: [loaf], responses: [])
        let properties = try #require(table.write(loaf, .request)["properties"])
        let reference = ##"{"$ref":"#/components/schemas/KindOrNull"}"##
        #expect(try text(#require(properties["kind"])) == reference)
        #expect(try text(#require(properties["other"])) == reference)
        #expect(
            try text(#require(properties["third"]))
                == ##"{"$ref":"#/components/schemas/KindOrNull","default":"a"}"##)
        #expect(
            try text(#require(properties["last"])) == ##"{"$ref":"#/components/schemas/Kind"}"##)
        #expect(
            try text(#require(table.components["KindOrNull"]))
                == #"{"type":["string","null"],"enum":["a","b",null]}"#)
        #expect(table.conflicts == [])
    }

    @Test func `an object is described as it is read, and as it is written`() throws {
        struct Loaf: Sendable {
            var flour: String
            var salt: Bool?
            var grains: [String]
        }
        let shape = ObjectCodec(
            named: "Loaf", Loaf.init, .required("flour", \.flour, .text(.token(1...9))),
            .optional("salt", \.salt, .boolean),
            .defaulted("grains", to: [], \.grains, .array(of: .text(.token(1...9)), limit: 3)))
        var table = SchemaTable(requests: [shape.schema], responses: [shape.schema])
        _ = table.write(shape.schema, .request)
        _ = table.write(shape.schema, .response)
        let request = try #require(table.components["LoafInput"])
        #expect(text(try #require(request["required"])) == #"["flour"]"#)
        #expect(request["additionalProperties"] == .boolean(false))
        let grains = try #require(request["properties"]?["grains"])
        #expect(grains["default"] == .array([]) && grains["type"]?.items.count == 2)
        let response = try #require(table.components["Loaf"])
        #expect(text(try #require(response["required"])) == #"["flour","grains"]"#)
        #expect(response["additionalProperties"] == nil)
        #expect(response["properties"]?["salt"] == .members(("type", .string("boolean"))))
    }

    @Test func `a name for two schemas is a conflict`() {
        var table = SchemaTable(requests: [], responses: [])
        _ = table.write(.named("A", .boolean), .request)
        _ = table.write(.named("A", .boolean), .response)
        #expect(table.conflicts == [])
        _ = table.write(.named("A", .integer(0...1)), .request)
        #expect(table.conflicts == ["A"])
    }

    @Test func `patterns and lengths accept what requests may contain`() throws {
        var generator = RequestGenerator(seed: 7)
        var count = 0
        func check<Request: BackendAPIRequest>(_ type: Request.Type) throws {
            for parameter in Request.parameters.list {
                guard case .text(let schema) = parameter.schema.unnamed,
                    let pattern = schema.keywords["pattern"]?.text
                else { continue }
                let regex = try Regex(pattern).matchingSemantics(.unicodeScalar)
                for _ in 0..<100 {
                    let text = generator.json(parameter.schema, at: "").text ?? ""
                    #expect(text.contains(regex), "\(parameter.name): \(text)")
                    #expect(schema.length.contains(text.unicodeScalars.count))
                    count += 1
                }
            }
        }
        for type in Contract.requests { try check(type) }
        #expect(count > 1_000)
    }
}
