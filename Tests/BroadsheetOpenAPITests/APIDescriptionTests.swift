import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import BroadsheetOpenAPI

/// The content of the description of our own API.
struct APIDescriptionTests {
    private let document = ContractDescription.document

    @Test func `it is the same each time`() {
        let again = APIDescription(
            of: Contract.requests, version: "1",
            examples: WireExamples(ContractDescription.examples.reversed()))
        #expect(again.document == document)
        #expect(document["openapi"] == .string("3.1.0"))
        #expect(document["info"]?["version"] == .string("1"))
    }

    @Test func `every request of the contract is one operation with its name and permission`() {
        var names: Set<String> = []
        for type in Contract.requests {
            let endpoint = type.endpoint
            guard let operation = ContractDescription.operation(of: type) else {
                Issue.record("\(endpoint.name) is not described")
                continue
            }
            #expect(operation["operationId"] == .string(endpoint.name))
            #expect(operation["summary"] == .string(endpoint.summary))
            #expect(!endpoint.name.isEmpty && names.insert(endpoint.name).inserted)
            let security = operation["security"]?.items ?? []
            #expect(security.contains(.object([])) == (endpoint.access == .everyone))
            let permissions = security.last?["bearer"]?.items.compactMap(\.text)
            let needed = endpoint.access == .everyone ? [] : ["\(endpoint.access)"]
            #expect(permissions == needed)
            #expect(operation["responses"]?["\(endpoint.success.code)"] != nil)
        }
        let operations = (document["paths"]?.members ?? []).flatMap { $0.value.members }
        #expect(operations.count == Contract.requests.count)
    }

    @Test func `every parameter is described in its place`() {
        func check<Request: BackendAPIRequest>(_ type: Request.Type) {
            let described = ContractDescription.operation(of: type)?["parameters"]?.items ?? []
            let declared = Request.parameters.list
            #expect(described.compactMap { $0["name"]?.text } == declared.map(\.name))
            #expect(described.compactMap { $0["in"]?.text } == declared.map { "\($0.place)" })
            for (parameter, declaration) in zip(described, declared) {
                #expect(
                    (parameter["required"] == .boolean(true)) == declaration.isRequired)
            }
        }
        for type in Contract.requests { check(type) }
    }

    @Test func `every reference has a target, and every component is used`() throws {
        var used: Set<String> = []
        for (pointer, value) in ContractDescription.values {
            guard let target = value["$ref"]?.text else { continue }
            used.insert(String(target.dropFirst()))
            #expect(value.resolved(in: document) != .null, "\(pointer)")
        }
        #expect(!used.isEmpty)
        for list in ["schemas", "responses", "headers"] {
            for component in document["components"]?[list]?.members ?? [] {
                #expect(used.contains("/components/\(list)/\(component.name)"), "\(component.name)")
            }
        }
    }

    @Test func `no two schemas share a name`() {
        var writer = OperationWriter(Contract.requests, WireExamples([]))
        for type in Contract.requests { _ = writer.operation(type) }
        #expect(writer.schemas.conflicts == [])
    }

    @Test func `requests reject unknown attributes, and responses do not`() {
        let schemas = document["components"]?["schemas"]
        #expect(schemas?["ArticleDraft"]?["additionalProperties"] == .boolean(false))
        let image = schemas?["HeroImageInputOrNull"]
        #expect(image?["additionalProperties"] == .boolean(false))
        #expect(schemas?["HeroImage"]?["additionalProperties"] == nil)
        #expect(schemas?["Article"]?["additionalProperties"] == nil)
    }

    /// Generators of clients leave out attributes with such a choice.
    @Test func `null is never one of several forms`() {
        let choices = ContractDescription.values.filter { _, value in
            let forms = (value["anyOf"]?.items ?? []) + (value["oneOf"]?.items ?? [])
            return forms.contains { $0["type"] == .string("null") }
        }
        #expect(choices.map(\.0) == [])
        let draft = document["components"]?["schemas"]?["ArticleDraft"]?["properties"]
        let status = draft?["status"]?.resolved(in: document)
        #expect(status?["type"] == .array([.string("string"), .string("null")]))
        #expect(status?["enum"]?.items.last == .null)
    }

    @Test func `each problem is a reference to the schema of problems, narrowed`() throws {
        let responses = try #require(document["components"]?["responses"]?.members)
        #expect(!responses.isEmpty)
        for response in responses {
            let schema = response.value["content"]?[Problem.mediaType]?["schema"]
            #expect(schema?["$ref"] == .string("#/components/schemas/Problem"))
            #expect(schema?["properties"]?["status"]?["const"] != nil)
            #expect(schema?["properties"]?["type"]?["enum"]?.items.isEmpty == false)
        }
    }

    @Test func `what is created has a Location, and links to the requests for it`() {
        let created = ContractDescription.operation(of: CreateArticleRequest.self)?["responses"]?[
            "201"]
        #expect(created?["headers"]?["Location"] != nil)
        let names = ["getArticle", "replaceArticle", "updateArticle", "deleteArticle"]
        #expect(created?["links"]?.members.map(\.name) == names)
        let signedIn = ContractDescription.operation(of: SignInRequest.self)?["responses"]?["201"]
        #expect(signedIn?["headers"]?["Location"] == nil && signedIn?["headers"]?["ETag"] == nil)
        let replaced = ContractDescription.operation(of: ReplaceAuthorRequest.self)?["responses"]
        #expect(replaced?["200"]?["headers"]?["Location"] == nil)
        #expect(replaced?["201"]?["headers"]?["Location"] != nil)
    }

    @Test func `problems follow from the parts, the method and the access of a request`() {
        func types<Request: BackendAPIRequest>(_ type: Request.Type) -> Set<String> {
            Set(Outcomes(of: type).problems.flatMap(\.kinds).map(\.rawValue))
        }
        let update = types(UpdateArticleRequest.self)
        let expected: Set = [
            "not-found", "precondition-failed", "unsupported-media-type", "invalid-values",
            "request-in-flight", "idempotency-key-reused", "storage-full", "forbidden",
            "slug-taken",
        ]
        #expect(update.isSuperset(of: expected))
        let list = types(FetchTagsRequest.self)
        #expect(list.isDisjoint(with: expected.subtracting(["precondition-failed"])))
        #expect(types(FetchMeRequest.self).contains("user-required"))
    }
}
