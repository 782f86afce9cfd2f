import BroadsheetSwiftGenerator
import Testing

/// Requests whose responses are kept on the device.
@Suite struct OfflineTests {
    private static let chore = ##"{"$ref":"#/components/schemas/Chore"}"##
    private static let id =
        #"{"name":"choreId","in":"path","required":true,"schema":{"type":"integer"}}"#

    private static func response(_ schema: String) -> String {
        #""responses":{"200":{"description":"","content":{"application/json":"#
            + #"{"schema":\#(schema)}}}}"#
    }

    private static let description = """
        {"openapi":"3.1.0","info":{"title":"Chores","version":"1"},"paths":{
        "/chores":{"get":{"operationId":"listChores","parameters":[
        {"name":"room","in":"query","schema":{"type":"string"}}],
        \(response(#"{"type":"array","items":\#(chore)}"#))}},
        "/chores/{choreId}":{"parameters":[\(id)],
        "get":{"operationId":"getChore",\(response(chore))},
        "put":{"operationId":"putChore",
        "requestBody":{"required":true,"content":{"application/json":{"schema":\(chore)}}},
        \(response(chore))},
        "delete":{"operationId":"deleteChore","responses":{"204":{"description":""}}}},
        "/summary":{"get":{"operationId":"getSummary",
        \(response(##"{"$ref":"#/components/schemas/Summary"}"##))}}},
        "components":{"schemas":{
        "Chore":{"type":"object","required":["id","title"],"properties":{
        "id":{"type":"integer"},"title":{"type":"string"},"isDone":{"type":"boolean"}}},
        "Summary":{"type":"object","required":["open"],"properties":{
        "open":{"type":"integer"}}}}}}
        """

    /// `Tests/ArticleOfflineTests` uses them without a network.
    @Test func `the requests and models that can be kept are as reviewed`() async throws {
        let source = SwiftGenerator.Source(name: "chores.json", bytes: Array(Self.description.utf8))
        let options = SwiftGenerator.Options.with(internal: true, offline: true)
        let text = try SwiftGenerator.requests(from: source, options: options).text
        try GeneratedFiles.check(
            text, "../ArticleOfflineTests/Caching/GeneratedChores.swift")
        #expect(try await Compiler.misformatted([("Chores", text)]) == "")
    }

    @Test func `public declarations are public throughout`() async throws {
        let document = try GeneratedFiles.document("Pets", in: "Descriptions")
        // An id that only the API sends is optional, since a new pet has none.
        let bytes = Array(
            String(decoding: document.bytes, as: UTF8.self)
                .replacing(#", "readOnly": true"#, with: "").utf8)
        let source = SwiftGenerator.Source(name: "Pets.json", bytes: bytes)
        let text = try SwiftGenerator.requests(from: source, options: .with(offline: true)).text
        #expect(text.contains("public import ArticleAPI\npublic import ArticleOffline\n"))
        #expect(
            text.contains(
                """
                extension DeletePetRequest: ModelRequest {
                    public typealias Model = Pet
                    public var modelID: Int { petID }
                }
                """))
        #expect(
            text.contains(
                """
                extension Pet: StorableModel {
                    public static let storedForm = StoredForm("Pet shop/Pet", shape)
                }
                """))
        #expect(try await Compiler.misformatted([("Pets", text)]) == "")
    }

    @Test func `what names no model by its id is kept as a whole`() throws {
        // A chore that is found by its name has another id.
        let text = Self.description.replacing("choreId", with: "name")
        let source = SwiftGenerator.Source(name: "chores.json", bytes: Array(text.utf8))
        let options = SwiftGenerator.Options.with(offline: true)
        let requests = try SwiftGenerator.requests(from: source, options: options).text
        #expect(requests.contains("extension GetChoreRequest: CacheableRequest {}"))
        #expect(requests.contains("extension PutChoreRequest: CacheableRequest {}"))
        #expect(!requests.contains("extension DeleteChoreRequest"))
    }
}
