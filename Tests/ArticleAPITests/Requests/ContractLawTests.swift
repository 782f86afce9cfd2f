import ArticleAPI
import HTTP
import Testing

/// What holds for every registered request.
struct ContractLawTests {
    @Test(arguments: Contract.requests.indices)
    func `a request survives printing and parsing`(index: Int) throws {
        try checkLaw(Contract.requests[index], seed: UInt64(index + 1))
    }

    @Test func `a sparse request survives printing and parsing`() throws {
        try checkLaw(PartialRequest<FetchArticlesRequest>.self, seed: 77)
        try checkLaw(PartialRequest<FetchArticleRequest>.self, seed: 78)
    }

    private func checkLaw<Request: BackendAPIRequest>(
        _ type: Request.Type, seed: UInt64
    ) throws {
        var generator = RequestGenerator(seed: seed)
        for _ in 0..<300 {
            let arrived = generator.request(type)
            let request = try parse(type, arrived)
            let printed = RequestPrinter.print(request)
            #expect(printed.method == Request.endpoint.method)
            let again = try parse(type, printed)
            #expect(again == request)
            #expect(RequestPrinter.print(again) == printed)
        }
        for parameter in Request.parameters.list where parameter.place != .path {
            #expect(generator.present.contains("?\(parameter.name)"))
            #expect(generator.absent.contains("?\(parameter.name)"))
        }
        if case .object(let properties)? = Request.parameters.body?.schema {
            for property in properties {
                #expect(generator.present.contains("/\(property.name)"))
                let wasAbsent = generator.absent.contains("/\(property.name)")
                #expect(wasAbsent != property.isRequired)
            }
        }
    }

    private func parse<Request: BackendAPIRequest>(
        _ type: Request.Type, _ request: HTTPRequest
    ) throws -> Request {
        let source = try #require(RequestSource(request, for: Request.endpoint))
        do {
            return try Request(parsing: source)
        } catch {
            Issue.record("\(request.target) \(String(decoding: request.body, as: UTF8.self))")
            throw error
        }
    }

    @Test func `exactly the parameters of a path are described`() {
        for type in Contract.requests { checkPath(type) }
    }

    private func checkPath<Request: BackendAPIRequest>(_ type: Request.Type) {
        let described = Request.parameters.list.filter { $0.place == .path }.map(\.name)
        #expect(Request.endpoint.template.parameters.sorted() == described.sorted())
        let names = Request.parameters.list.map { "\($0.place) \($0.name)" }
        #expect(Set(names).count == names.count)
    }

    @Test func `no two requests share method and path`() {
        func place<Request: BackendAPIRequest>(_ type: Request.Type) -> String {
            "\(Request.endpoint.method) \(Request.endpoint.template)"
        }
        let places = Contract.requests.map { place($0) }
        #expect(Set(places).count == places.count)
    }

    @Test func `only writers may use unsafe methods`() {
        func check<Request: BackendAPIRequest>(_ type: Request.Type) {
            let reads = [.everyone, .readHistory].contains(Request.endpoint.access)
            #expect(Request.endpoint.method.isSafe == reads)
        }
        for type in Contract.requests { check(type) }
    }
}
