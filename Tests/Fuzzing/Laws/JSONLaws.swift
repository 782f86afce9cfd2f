import ArticleAPI
import ArticleAdminAPI
import ArticleOperations
import ArticleServices
import BroadsheetHTTP
import ParserLaws

/// A body: parsed as JSON, as each request with a body, and as each response for a client.
enum JSONLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        if let value = try? JSONParser.parse(input) { checkValue(value, &laws) }
        let requests = Contract.requests + Contract.adminRequests
        for type in requests where type.parameters(haveBody: true) {
            checkRequest(type, input, &laws)
        }
        checkAnswer(Article.self, input, &laws)
        checkAnswer(Page<Article>.self, input, &laws)
        checkAnswer(Author.self, input, &laws)
        checkAnswer(Problem.self, input, &laws)
        return laws.broken
    }

    private static func checkValue(_ value: JSONValue, _ laws: inout ViolationCollector) {
        var writer = JSONWriter()
        value.write(to: &writer)
        laws.expect(
            (try? JSONParser.parse(writer.bytes)) == value, "written JSON can be parsed again")
    }

    private static func checkRequest<Request: BackendAPIRequest>(
        _ type: Request.Type, _ body: [UInt8], _ laws: inout ViolationCollector
    ) {
        let id = "/0190b3f4-5a6b-7c8d-9e0f-102132435465"
        let names = Request.endpoint.template.parameters
        let path = "\(Request.endpoint.template)".split(separator: "/").map {
            $0.hasPrefix("{") ? id : "/\($0)"
        }.joined()
        guard names.count < 2, let target = RequestTarget(path.utf8) else { return }
        let mediaType = Request.parameters.body?.mediaTypes.first ?? ""
        let fields: HTTPFields = [.contentType: mediaType, .ifMatch: "\"1-a\""]
        ContractLaw.check(
            type, HTTPRequest(Request.endpoint.method, target, fields: fields, body: body), &laws)
    }

    /// The result for a client when the attributes are in a different order, which takes a slower
    /// path.
    private static func backwards<Item: JSONRepresentable>(
        _ type: Item.Type, _ input: [UInt8]
    ) -> Item? {
        guard let value = try? JSONParser.parse(input) else { return nil }
        var writer = JSONWriter()
        reversed(value).write(to: &writer)
        return try? ResponseMapper<Item>().map(writer.bytes)
    }

    private static func reversed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): .array(items.map(reversed))
        case .object(let members):
            .object(members.reversed().map { .init(name: $0.name, value: reversed($0.value)) })
        default: value
        }
    }

    /// A client can encode a decoded value, and decodes the same value again.
    private static func checkAnswer<Item: JSONRepresentable & Equatable>(
        _ type: Item.Type, _ input: [UInt8], _ laws: inout ViolationCollector
    ) {
        let mapped = try? ResponseMapper<Item>().map(input)
        laws.expect(mapped == backwards(type, input), "\(Item.self) is the same in any order")
        guard let item = mapped else { return }
        let again = try? ResponseMapper<Item>().map(item.json())
        laws.expect(again == item, "\(Item.self) can be decoded again")
    }
}
