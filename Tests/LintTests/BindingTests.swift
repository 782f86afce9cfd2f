import Testing

/// One file binds every request of the contract to its handler.
@Suite struct BindingTests {
    /// Returns the names of the requests that a file mentions by their types, in its order.
    private static func requests(_ path: String, from start: String) throws -> [String] {
        let text = String(decoding: try SourceTree.bytes(path), as: UTF8.self)
        let begin = try #require(text.firstRange(of: start)).lowerBound
        return text[begin...].matches(of: /(\w+Request)\.self/).map { String($0.1) }
    }

    @Test func `each request is bound once, in the order of the contract`() throws {
        let contract =
            try Self.requests(
                "Sources/ArticleAdminAPI/Contract.swift", from: "enum Contract")
            + Self.requests(
                "Sources/ArticleOperations/Admin/AdminContract.swift", from: "adminRequests")
        let bound = try Self.requests(
            "Sources/ArticleServices/Bindings.swift", from: "func bindRequests")
        #expect(bound == contract)
    }
}
