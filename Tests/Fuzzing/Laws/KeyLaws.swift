import ArticleAPI
import ArticleAccounts
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import ParserLaws

/// Untrusted credentials: only existing keys are accepted.
enum KeyLaws {
    private static let operatorText = "0123456789-0123456789-0123456789"
    private static let key = APIKey(
        name: "fuzz", role: .editor, at: Timestamp(milliseconds: 0), system: .real)
    private static let ring = KeyRing(
        [key.record], operatorKey: OperatorKey(operatorText), system: .real)

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        if let id = APIKey.publicID(of: text) {
            laws.expect(text.hasPrefix("bsk_\(id)_"), "a public id is part of its key")
        }
        if OperatorKey(text) != nil {
            laws.expect((32...200).contains(text.utf8.count), "an operator's key has a length")
        }
        for value in [text, "Bearer \(text)", "Bearer \(key.text.prefix(20))\(text)"] {
            var fields = HTTPFields()
            guard fields.append(.authorization, value) else { continue }
            // The fuzzer cannot guess 256 bits; the operator's key is in the seeds.
            let key = try? BearerCredentials.text(in: fields)
            let caller = key.flatMap { try? ring.principal(of: $0) }
            let isOperator = fields[.authorization]?.hasSuffix(operatorText) ?? false
            laws.expect(caller?.role == nil || isOperator, "only a valid key is accepted")
        }
        return laws.broken
    }
}
