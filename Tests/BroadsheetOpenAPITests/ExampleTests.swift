import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import BroadsheetOpenAPI

/// The examples of the description are the golden files.
struct ExampleTests {
    private let document = ContractDescription.document

    @Test(arguments: Contract.requests.indices)
    func `the example of a request is its golden file`(index: Int) throws {
        try check(Contract.requests[index])
    }

    private func check<Request: BackendAPIRequest>(_ type: Request.Type) throws {
        let operation = try #require(ContractDescription.operation(of: type))
        let name = "\(Request.self).http"
        let file = try #require(ContractDescription.examples.first { $0.name == name }?.bytes)
        let text = String(decoding: file, as: UTF8.self)
        for parameter in operation["parameters"]?.items ?? [] {
            #expect(parameter["example"] != nil, "\(name): \(parameter["name"]?.text ?? "")")
        }
        for content in operation["requestBody"]?["content"]?.members ?? [] {
            var writer = JSONWriter()
            try #require(content.value["example"]).write(to: &writer)
            let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == body)
        }
        // What is read from the file is what it was printed from.
        let example = try #require(ExampleRequest(file))
        for parameter in Request.parameters.list {
            let value = try #require(example.value(of: parameter, in: Request.endpoint.template))
            let texts = value.items.isEmpty ? [value] : value.items
            for text in texts.compactMap(\.text) where parameter.place == .header {
                #expect(
                    String(decoding: file, as: UTF8.self).contains("\(parameter.name): \(text)"))
            }
        }
    }

    @Test func `each golden file of a response is the example of a response`() throws {
        var shown: Set<String> = []
        for (pointer, value) in ContractDescription.values {
            guard pointer.contains("/responses/2"), let examples = value["examples"] else {
                continue
            }
            for example in examples.members {
                let file = example.name.replacing("-usual", with: "") + ".json"
                let bytes = ContractDescription.examples.first { $0.name == file }?.bytes
                var writer = JSONWriter()
                try #require(example.value["value"]).write(to: &writer)
                #expect(writer.bytes == bytes, "\(pointer) \(file)")
                shown.insert(file)
            }
        }
        let files = ContractDescription.examples.map(\.name).filter { $0.hasSuffix(".json") }
        // A problem is shown by its own kinds.
        #expect(shown == Set(files).subtracting(["Problem.json"]))
    }

    @Test func `a response of every kind has an example`() {
        for type in Contract.requests where type != FetchDescriptionRequest.self {
            let endpoint = type.endpoint
            let response = ContractDescription.operation(of: type)?["responses"]?[
                "\(endpoint.success.code)"]
            guard let content = response?["content"]?["application/json"] else { continue }
            #expect(content["examples"] != nil, "\(endpoint.name)")
        }
    }

    @Test(arguments: [
        "", "GET /v1/tags HTTP/1.1", "GET /v1/tags\r\n\r\n", "GET tags HTTP/1.1\r\n\r\n",
    ])
    func `what is not a request is not an example`(text: String) {
        #expect(ExampleRequest(Array(text.utf8)) == nil)
    }
}
