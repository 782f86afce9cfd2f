import ArticleAPI
import ArticleAdminAPI
import ArticleOperations
import ArticleServices
import BroadsheetHTTP
import ParserLaws

/// A request's target: path, query, and the typed requests that it may represent.
enum QueryLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        if let query = try? QueryItems(parsing: input) {
            laws.expect(
                (try? QueryItems(parsing: Array(query.encoded.utf8))) == query,
                "a query can be parsed again")
            laws.expect(query.items.count <= QueryItems.limit, "a query has a limit")
        }
        checkRequests(Array("/v1/articles?".utf8) + input, &laws)
        checkRequests(Array("/v1/".utf8) + input, &laws)
        checkRequests(input, &laws)
        return laws.broken
    }

    private static func checkRequests(_ bytes: [UInt8], _ laws: inout ViolationCollector) {
        guard let target = RequestTarget(bytes) else { return }
        let requests = Contract.requests + Contract.adminRequests
        for type in requests where type.parameters(haveBody: false) {
            ContractLaw.check(type, HTTPRequest(type.endpoint.method, target), &laws)
        }
    }
}

extension BackendAPIRequest {
    static func parameters(haveBody: Bool) -> Bool { (parameters.body != nil) == haveBody }
}

/// The law of the contract: parsing, printing and parsing again yields the same request.
enum ContractLaw {
    static func check<Request: BackendAPIRequest>(
        _ type: Request.Type, _ request: HTTPRequest, _ laws: inout ViolationCollector
    ) {
        guard let source = RequestSource(request, for: Request.endpoint) else { return }
        do throws(RequestValidationError) {
            let parsed = try Request(parsing: source)
            let printed = RequestPrinter.print(parsed)
            guard let second = RequestSource(printed, for: Request.endpoint) else {
                return laws.expect(false, "a printed request has its endpoint's path")
            }
            let again = try? Request(parsing: second)
            laws.expect(again == parsed, "\(Request.self) can be parsed again")
        } catch {
            // Rejections are fine; it only matters that parsing ends.
        }
    }
}
