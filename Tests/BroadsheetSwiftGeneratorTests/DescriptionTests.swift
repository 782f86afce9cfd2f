import BroadsheetSwiftGenerator
import Testing

/// The requests and models read from descriptions in OpenAPI.
@Suite struct DescriptionTests {
    /// A description with one operation, `GET /a`, whose members are given, and components.
    private func generate(
        _ operation: String, components: String = "", skipping: Bool = false
    ) throws(GenerationError) -> SwiftGenerator.Requests {
        let text = """
            {"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{
            "/ok":{"get":{"operationId":"ok","responses":{"204":{"description":""}}}},
            "/a":{"get":{"operationId":"a",\(operation)}}},
            "components":{\(components)}}
            """
        return try SwiftGenerator.requests(
            from: .init(text), options: .with(internal: true, skipping: skipping))
    }

    /// The responses of an operation that returns a schema's values.
    private func returning(_ schema: String) -> String {
        #""responses":{"200":{"description":"","content":{"application/json":"#
            + #"{"schema":\#(schema)}}}}"#
    }

    private func findings(_ operation: String, components: String = "") -> [String] {
        do throws(GenerationError) {
            _ = try generate(operation, components: components)
            return []
        } catch {
            guard case .unsupported(let findings) = error else { return ["\(error)"] }
            return findings.map(\.description)
        }
    }

    private func properties(_ schema: String, components: String = "") throws -> [String] {
        let text = try generate(returning(schema), components: components).text
        return text.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("let ") }.map { String($0.dropFirst(4)) }
    }

    @Test func `types and formats`() throws {
        let schema = #"""
            {"type":"object","required":["a","b","c","d"],"properties":{
            "a":{"type":"integer","format":"int64"},"b":{"type":"number"},"c":{"type":"boolean"},
            "d":{"type":"string"},"e":{"type":"string","format":"date-time"},
            "f":{"type":"string","format":"date"},"g":{"type":"string","format":"uri"},
            "h":{"type":"string","format":"uuid"},"i":{"type":"string","format":"byte"},
            "j":{"type":"array","items":{"type":"array","items":{"type":"string"}}},
            "k":{"type":"object","additionalProperties":{"type":"integer"}},"l":{},
            "m":{"type":"object"},"n":{"type":"string","format":"password"}}}
            """#
        #expect(
            try properties(schema)
                == [
                    "a: Int", "b: Double", "c: Bool", "d: String", "e: Timestamp?", "f: LocalDay?",
                    "g: URL?", "h: UUID?", "i: Data?", "j: [[String]]?", "k: [String: Int]?",
                    "l: JSONValue?", "m: [String: JSONValue]?", "n: String?",
                ])
    }

    @Test(arguments: [
        #"{"type":["string","null"]}"#, #"{"type":"string","nullable":true}"#,
        #"{"oneOf":[{"type":"string"},{"type":"null"}]}"#,
        #"{"anyOf":[{"type":"null"},{"type":"string","format":"x"}]}"#,
        ##"{"allOf":[{"$ref":"#/components/schemas/Name"}],"nullable":true}"##,
        ##"{"$ref":"#/components/schemas/Nullable"}"##,
    ])
    func `null can be spelled in several ways`(schema: String) throws {
        let components =
            #""schemas":{"Name":{"type":"string"},"Nullable":{"type":["string","null"]}}"#
        let object = #"{"type":"object","required":["a"],"properties":{"a":\#(schema)}}"#
        #expect(try properties(object, components: components) == ["a: String?"])
        let text = try generate(returning(object), components: components).text
        #expect(text.contains(#".required("a", \.a, .nullable(.string))"#))
    }

    @Test func `allOf joins objects`() throws {
        let components = ##"""
            "schemas":{"Base":{"type":"object","required":["id"],"properties":{
            "id":{"type":"integer"},
            "kind":{"type":"string"}}},"Named":{"allOf":[{"$ref":"#/components/schemas/Base"},
            {"type":"object","required":["kind"],"properties":{"kind":{"const":"named"},
            "name":{"type":"string"}}}]}}
            """##
        let schema = ##"{"$ref":"#/components/schemas/Named"}"##
        #expect(
            try properties(schema, components: components)
                == ["id: Int", "kind: Kind", "name: String?"])
    }

    @Test func `a schema may contain itself`() throws {
        let components = ##"""
            "schemas":{"Node":{"type":"object","properties":{
            "parent":{"$ref":"#/components/schemas/Node"},
            "children":{"type":"array","items":{"$ref":"#/components/schemas/Node"}},
            "other":{"$ref":"#/components/schemas/Other"}}},
            "Other":{"type":"object","required":["nodes"],"properties":{"nodes":{"type":"object",
            "additionalProperties":{"$ref":"#/components/schemas/Node"}}}}}
            """##
        let schema = ##"{"$ref":"#/components/schemas/Node"}"##
        #expect(
            try properties(schema, components: components)
                == [
                    "parent: Indirect<Node>?", "children: [Node]?", "other: Other?",
                    "nodes: [String: Node]",
                ])
        let text = try generate(returning(schema), components: components).text
        #expect(text.contains(#".optional("parent", \.parent, .indirect(Node.format))"#))
        #expect(text.contains(".array(of: .deferred(Node.format), limit: .max)"))
    }

    @Test func `attributes that one side sends are optional where the other one does`() throws {
        let document = try GeneratedFiles.document("Pets", in: "Descriptions")
        let text = try SwiftGenerator.requests(from: document).text
        #expect(text.contains("public let id: Int?\n"))
        #expect(text.contains("public let secret: String?\n"))
        #expect(text.contains("public let photoURLs: [URL]\n"))
    }

    @Test func `in a merge patch, null is a change`() throws {
        let document = try GeneratedFiles.document("Transit", in: "Descriptions")
        let text = try SwiftGenerator.requests(from: document).text
        #expect(text.contains("public let title: Change<String>\n"))
        #expect(text.contains("public let notes: Change<Notes>\n"))
        #expect(text.contains("public let pinned: Bool?\n"))
        #expect(text.contains(#".mergePatch(\.body)"#))
    }

    @Test(arguments: [
        (
            #""parameters":[{"name":"s","in":"cookie","schema":{}}],"responses":{}"#,
            "/paths/~1a/get/parameters/0: parameters in cookies are not supported"
        ),
        (
            #""parameters":[{"name":"s","in":"query","style":"deepObject","schema":{}}]"#,
            "/paths/~1a/get/parameters/0/style: only the style `form` is supported here"
        ),
        (
            #""parameters":[{"name":"s","in":"query","schema":{"type":"object"}}]"#,
            "/paths/~1a/get/parameters/0/schema: only texts, numbers, booleans and lists of them"
        ),
        (
            #""parameters":[{"name":"s","in":"query","content":{}}],"responses":{}"#,
            "/paths/~1a/get/parameters/0: parameters without `schema` are not supported"
        ),
        (
            #""parameters":[{"name":"s","in":"path","schema":{}}],"responses":{}"#,
            "/paths/~1a/get: the parameters of the path are not those that are declared"
        ),
        (
            #""callbacks":{"x":{}},"responses":{}"#,
            "/paths/~1a/get/callbacks: `callbacks` are not supported"
        ),
        (
            #""security":[{"missing":[]}],"responses":{}"#,
            "/paths/~1a/get/security: none of the ways to authenticate is supported"
        ),
        (
            #""requestBody":{"content":{"multipart/form-data":{}}},"responses":{}"#,
            "/paths/~1a/get/requestBody/content: only JSON and bodies of bytes are supported"
        ),
        (
            #""responses":{"200":{"$ref":"other.json#/x"}}"#,
            "/paths/~1a/get/responses/200: the reference leads to no response of the components"
        ),
    ])
    func `an operation that cannot be expressed is named`(operation: String, finding: String) throws
    {
        #expect(findings(operation).contains(finding))
        let result = try generate(operation, skipping: true)
        #expect(result.leftOut.map(\.description).contains(finding))
        #expect(result.text.contains("struct OkRequest:"))
        let pointer = finding.prefix { $0 != ":" }
        #expect(result.text.contains("// - \(pointer)"))
    }

    @Test(arguments: [
        (
            #"{"oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}"#,
            "/oneOf: alternatives that neither a discriminator, nor their kind, nor a required"
                + " property tells apart are not supported"
        ),
        (#"{"not":{}}"#, "/not: `not` is not supported"),
        (
            #"{"type":"object","patternProperties":{"^x":{}}}"#,
            "/patternProperties: `patternProperties` is not supported"
        ),
        (#"{"type":"array","prefixItems":[{}]}"#, "/prefixItems: `prefixItems` is not supported"),
        (
            #"{"properties":{"a":{}},"additionalProperties":{"type":"string"}}"#,
            "/additionalProperties: properties beside values with any name are not supported"
        ),
        (#"{"$ref":"other.json"}"#, "/$ref: references to other documents are not supported"),
        (
            ##"{"$ref":"#/components/schemas/None"}"##,
            "/$ref: the reference leads to no schema of the components"
        ),
        (#"{"type":"file"}"#, "/type: is not a type of JSON"),
        ("false", ": is not a schema that has values"),
    ])
    func `a schema that cannot be expressed is named`(schema: String, ending: String) {
        let place = "/paths/~1a/get/responses/200/content/application~1json/schema"
        #expect(findings(returning(schema)).contains(place + ending))
    }

    @Test func `what a component cannot express concerns its users only`() throws {
        let components = ##"""
            "schemas":{"Bad":{"not":{}},"User":{"type":"object","properties":{
            "bad":{"type":"array","items":{"$ref":"#/components/schemas/Bad"}}}},
            "Unused":{"if":{}}}
            """##
        let operation = returning(##"{"$ref":"#/components/schemas/User"}"##)
        let finding = "/components/schemas/Bad/not: `not` is not supported"
        #expect(findings(operation, components: components) == [finding])
        let result = try generate(operation, components: components, skipping: true)
        #expect(!result.text.contains("struct User") && !result.text.contains("ARequest"))
    }

    @Test func `an alias of itself is named`() {
        let components = ##"""
            "schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"type":"array",
            "items":{"$ref":"#/components/schemas/A"}}}
            """##
        let found = findings(
            returning(##"{"$ref":"#/components/schemas/A"}"##), components: components)
        #expect(found.count == 1 && found[0].hasSuffix("the schema refers only to itself"))
    }

    @Test(arguments: [
        ("[]", "not a description in OpenAPI 3.0 or 3.1 as JSON"),
        (#"{"openapi":"4.0.0"}"#, "not a description in OpenAPI 3.0 or 3.1 as JSON"),
        (
            #"{"swagger":"2.0"}"#,
            "not a description in OpenAPI 3.0 or 3.1 as JSON, but in Swagger 2.0"
        ),
        (#"{"openapi":"3.0.0","paths":{}}"#, "the document describes no operations"),
    ])
    func `other documents are rejected`(text: String, reason: String) {
        let error = #expect(throws: GenerationError.self) {
            try SwiftGenerator.requests(from: .init(text, name: "api.json"))
        }
        #expect(error?.description == "api.json: \(reason)")
    }

    @Test func `deep and wide documents cost little`() throws {
        let deep =
            String(repeating: #"{"type":"array","items":"#, count: 55)
            + "{}" + String(repeating: "}", count: 55)
        #expect(findings(returning(deep)).contains { $0.contains("nested deeper than") })
        // Each schema joins the next one twice: 2 to the power of 60 ways lead to the last.
        let chain = (0..<60).map { number in
            let next = ##"{"$ref":"#/components/schemas/S\##(number + 1)"}"##
            return #""S\#(number)":{"allOf":[\#(next),\#(next)]}"#
        }
        let last = #""S60":{"type":"object","properties":{"a":{"type":"string"}}}"#
        let components = #""schemas":{\#((chain + [last]).joined(separator: ","))}"#
        let found = findings(
            returning(##"{"$ref":"#/components/schemas/S30"}"##), components: components)
        #expect(found == [])
    }
}
