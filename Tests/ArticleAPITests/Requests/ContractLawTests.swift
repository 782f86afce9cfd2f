import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// The laws that hold for every registered request.
struct ContractLawTests {
    @Test(arguments: Contract.requests.indices)
    func `a request survives printing and parsing`(index: Int) {
        let type = Contract.requests[index]
        #expect(RequestLaw.violations(of: type, seed: UInt64(index + 1)) == [])
    }

    @Test func `a sparse request survives printing and parsing`() {
        let list = PartialRequest<FetchArticlesRequest>.self
        #expect(RequestLaw.violations(of: list, seed: 77) == [])
        let one = PartialRequest<FetchArticleRequest>.self
        #expect(RequestLaw.violations(of: one, seed: 78) == [])
        let search = PartialRequest<SearchArticlesRequest>.self
        #expect(RequestLaw.violations(of: search, seed: 79) == [])
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

    @Test func `those without a permission use only safe methods, or sign up and in`() {
        func check<Request: BackendAPIRequest>(_ type: Request.Type) {
            let endpoint = Request.endpoint
            guard endpoint.access == .everyone, !endpoint.method.isSafe else { return }
            #expect(endpoint.carriesSecrets && endpoint.method == .post, "\(endpoint.template)")
        }
        for type in Contract.requests { check(type) }
    }
}
