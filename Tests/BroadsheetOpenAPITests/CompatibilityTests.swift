import ArticleAPI
import Foundation
import Testing

@testable import BroadsheetOpenAPI

/// The compatibility of this server with clients of the last release.
struct CompatibilityTests {
    /// `openapi.json` of the last release. It changes with a release, and with nothing else.
    static let released = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Released/openapi.json")

    /// Changes that were made on purpose since the last release, with a line in the changelog.
    private static let accepted: [String] = []

    @Test func `nothing breaks the clients of the last release`() throws {
        let bytes = [UInt8](try Data(contentsOf: Self.released))
        let old = try JSONParser.parse(bytes)
        let changes = DescriptionComparison(old, ContractDescription.document).breakingChanges
        #expect(changes == Self.accepted, "\(changes.joined(separator: "\n"))")
    }

    /// A small API, with a place for each change.
    private static let small = """
        {"paths": {"/loaves/{id}": {"put": {"operationId": "bake", "security": [{}, {"b": []}],
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {}},
        {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1,
        "maximum": 9}}, {"name": "tag", "in": "query", "style": "form", "explode": true,
        "schema": {"type": "array", "items": {"type": "string", "maxLength": 64},
        "maxItems": 5}}], "requestBody": {"content": {"application/json": {
        "schema": {"$ref": "#/components/schemas/In"}}, "text/plain": {}}},
        "responses": {"200": {"headers": {"ETag": {"required": true}}, "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Out"}}}},
        "404": {"description": "none"}}},
        "get": {"operationId": "show", "responses": {"204": {}}}}},
        "components": {"schemas": {
        "In": {"type": "object", "required": ["flour"], "additionalProperties": false,
        "properties": {"flour": {"type": "string", "enum": ["rye", "wheat"]},
        "salt": {"type": ["number", "null"]}, "day": {"type": "string"},
        "by": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}},
        "Out": {"type": "object", "required": ["crust"], "properties": {
        "crust": {"type": "string"}, "at": {"type": "string", "format": "date-time"},
        "kind": {"type": "string", "enum": ["a"]},
        "inner": {"$ref": "#/components/schemas/Out"}, "size": {"anyOf": [{"type": "integer"}]}
        }}}}}
        """

    /// One replacement in the small API, and what it breaks; nothing if clients are unaffected.
    struct Change: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let breaks: String?

        var testDescription: String { "\(old) → \(new)" }

        init(_ old: String, _ new: String, _ breaks: String? = nil) {
            self.old = old
            self.new = new
            self.breaks = breaks
        }
    }

    static let changes = operations + requests + responses

    private static let operations = [
        Change("\"/loaves/{id}\"", "\"/bread/{id}\"", "PUT /loaves/{id}: was removed"),
        Change("\"get\":", "\"head\":", "GET /loaves/{id}: was removed"),
        Change("\"bake\"", "\"make\"", "PUT /loaves/{id}: has another operationId"),
        Change("[{}, {\"b\": []}]", "[{\"b\": []}]", "PUT /loaves/{id}: requires credentials now"),
        Change("[{}, {\"b\": []}]", "[{}, {\"c\": []}]"),
    ]

    private static let requests = [
        Change("\"limit\"", "\"most\"", "PUT /loaves/{id} query limit: was removed"),
        Change(
            "\"in\": \"query\", \"schema\": {\"type\": \"integer\"",
            "\"in\": \"query\", \"required\": true, \"schema\": {\"type\": \"integer\"",
            "PUT /loaves/{id} query limit: is required now"),
        Change(
            "\"parameters\": [",
            "\"parameters\": [{\"name\": \"x\", \"in\": \"query\", \"required\": true}, ",
            "PUT /loaves/{id} query x: is new and required"),
        Change("\"parameters\": [", "\"parameters\": [{\"name\": \"x\", \"in\": \"query\"}, "),
        Change(
            "\"explode\": true", "\"explode\": false",
            "PUT /loaves/{id} query tag: is written otherwise"),
        Change(
            "\"maximum\": 9", "\"maximum\": 8", "PUT /loaves/{id} query limit: maximum is lower"),
        Change("\"maximum\": 9", "\"maximum\": 10"),
        Change(
            "\"minimum\": 1", "\"minimum\": 2", "PUT /loaves/{id} query limit: minimum is higher"),
        Change(
            "\"maxItems\": 5", "\"maxItems\": 4", "PUT /loaves/{id} query tag: maxItems is lower"),
        Change(
            "\"maxLength\": 64", "\"maxLength\": 63",
            "PUT /loaves/{id} query tag/items: maxLength is lower"),
        Change(
            "\"requestBody\": {", "\"requestBody\": {\"required\": true, ",
            "PUT /loaves/{id} body: is required now"),
        Change("\"text/plain\"", "\"text/html\"", "PUT /loaves/{id} body: text/plain was removed"),
        Change("\"requestBody\":", "\"other\":", "PUT /loaves/{id} body: was removed"),
        Change(
            "[\"flour\"]", "[\"flour\", \"day\"]", "PUT /loaves/{id} body/day: is required now"),
        Change("[\"flour\"]", "[]"),
        Change("\"salt\":", "\"sugar\":", "PUT /loaves/{id} body/salt: was removed"),
        Change("\"salt\":", "\"sugar\": {}, \"salt\":"),
        Change(
            "[\"number\", \"null\"]", "[\"integer\", \"null\"]",
            "PUT /loaves/{id} body/salt: was [\"number\"], is [\"integer\"]"),
        Change(
            "[\"number\", \"null\"]", "\"number\"",
            "PUT /loaves/{id} body/salt: null is no longer accepted"),
        Change(
            "[\"rye\", \"wheat\"]", "[\"rye\"]",
            "PUT /loaves/{id} body/flour: the value wheat is gone"),
        Change("[\"rye\", \"wheat\"]", "[\"rye\", \"wheat\", \"oats\"]"),
        Change(
            "\"day\": {", "\"day\": {\"enum\": [\"Sunday\"], ",
            "PUT /loaves/{id} body/day: only some values are accepted now"),
        Change(
            "\"day\": {", "\"day\": {\"pattern\": \"^S\", ",
            "PUT /loaves/{id} body/day: the pattern has changed"),
        Change(
            "\"day\": {", "\"day\": {\"format\": \"date\", ",
            "PUT /loaves/{id} body/day: the format was none, is date"),
        Change(
            "[{\"type\": \"string\"}, {\"type\": \"integer\"}]", "[{\"type\": \"string\"}]",
            "PUT /loaves/{id} body/by: form 2 is no longer accepted"),
        Change(
            "[{\"type\": \"string\"}, {\"type\": \"integer\"}]",
            "[{\"type\": \"string\"}, {\"type\": \"integer\"}, {\"type\": \"boolean\"}]"),
    ]

    private static let responses = [
        Change("\"200\":", "\"202\":", "PUT /loaves/{id} 200: was removed"),
        Change("\"204\": {}", "\"204\": {}, \"200\": {}", "GET /loaves/{id} 200: is a new success"),
        Change("\"404\":", "\"409\":"),
        Change("\"ETag\"", "\"Date\"", "PUT /loaves/{id} 200 ETag: was removed"),
        Change(
            "\"ETag\": {\"required\": true}", "\"ETag\": {}",
            "PUT /loaves/{id} 200 ETag: may be absent now"),
        Change(
            "\"Out\": {\"type\": \"object\", \"required\": [\"crust\"]",
            "\"Out\": {\"type\": \"object\", \"required\": []",
            "PUT /loaves/{id} 200/crust: may be absent now"),
        Change("\"at\":", "\"when\":", "PUT /loaves/{id} 200/at: was removed"),
        Change("\"at\":", "\"more\": {\"type\": \"string\"}, \"at\":"),
        Change(
            "\"crust\": {\"type\": \"string\"}", "\"crust\": {\"type\": \"integer\"}",
            "PUT /loaves/{id} 200/crust: was [\"string\"], is [\"integer\"]"),
        Change(
            "\"crust\": {\"type\": \"string\"}", "\"crust\": {\"type\": [\"string\", \"null\"]}",
            "PUT /loaves/{id} 200/crust: may be null now"),
        Change(
            "\"date-time\"", "\"date\"",
            "PUT /loaves/{id} 200/at: the format was date-time, is date"),
        Change("\"enum\": [\"a\"]", "\"enum\": [\"a\", \"b\"]"),
        Change(
            "[{\"type\": \"integer\"}]}", "[{\"type\": \"integer\"}, {\"type\": \"string\"}]}",
            "PUT /loaves/{id} 200/size: form 2 is new"),
    ]

    @Test(arguments: changes)
    func `each kind of change is recognised`(change: Change) throws {
        let text = Self.small.replacingOccurrences(of: change.old, with: change.new)
        #expect(text != Self.small)
        let (old, new) = try (
            JSONParser.parse(Array(Self.small.utf8)), JSONParser.parse(Array(text.utf8))
        )
        let found = DescriptionComparison(old, new).breakingChanges
        if let expected = change.breaks {
            #expect(found.contains(expected), "\(found)")
        } else {
            #expect(found == [])
        }
    }

    @Test func `a description does not break its own clients`() {
        let document = ContractDescription.document
        #expect(DescriptionComparison(document, document).breakingChanges == [])
    }
}
