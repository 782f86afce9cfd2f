import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct BearerTests {
    private static let key = "0123456789-0123456789-0123456789"

    private func caller(_ value: String) throws(ServiceError) -> Principal {
        guard let key = try BearerCredentials.text(in: [.authorization: value]) else {
            return .anonymous
        }
        return try KeyRing([], operatorKey: OperatorKey(Self.key), system: .real)
            .principal(of: key)
    }

    @Test(arguments: ["Bearer ", "bearer ", "BEARER   "])
    func `the scheme is case-insensitive and may be followed by several spaces`(scheme: String)
        throws
    {
        #expect(try caller(scheme + Self.key).role == .admin)
    }

    @Test(arguments: ["Basic \(key)", "Bearer", "Bearer\(key)", key, "Bearer \(key) x", "Bearer  "])
    func `anything else is not a key`(value: String) {
        #expect(throws: ServiceError.self) { try caller(value) }
    }
}
