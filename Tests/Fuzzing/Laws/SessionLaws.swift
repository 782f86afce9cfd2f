import ArticleAPI
import ArticleAccounts
import ArticleServiceCore
import ArticleServices
import BroadsheetHTTP
import BroadsheetPlatform
import ParserLaws

/// An untrusted token of a session.
enum SessionLaws {
    private static let secret = [UInt8](repeating: 7, count: 32)
    private static let ring = KeyRing([], operatorKey: nil, system: .real)

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        let (access, refresh) = (AccessToken(text), RefreshToken(text))
        laws.expect(access == nil || refresh == nil, "a token is of one kind")
        if let access { check(access, text, &laws) }
        if let refresh {
            check(refresh, text, &laws)
            let next = refresh.successor(secret: secret)
            laws.expect(next == refresh.successor(secret: secret), "a successor is the same again")
            laws.expect(AccessToken(next.access.text) == next.access, "a successor is a token")
            laws.expect(RefreshToken(next.refresh.text) == next.refresh, "a successor is a token")
            laws.expect(next.refresh.text != text, "a successor is another token")
            laws.expect(next.access.sessionID == refresh.sessionID, "a session keeps its id")
            laws.expect(next.refresh.isMarked(by: secret), "a successor has a mark")
            laws.expect(!refresh.isMarked(by: secret), "a token that was not issued has no mark")
        }
        if access != nil || refresh != nil {
            laws.expect(APIKey.publicID(of: text) == nil, "a token of a session is not a key")
        }
        for value in [text, "Bearer \(text)"] {
            var fields = HTTPFields()
            guard fields.append(.authorization, value) else { continue }
            let key = try? BearerCredentials.text(in: fields)
            let principal = key.flatMap { try? ring.principal(of: $0) }
            laws.expect(principal?.role == nil, "a token that was not issued gives no role")
        }
        return laws.broken
    }

    private static func check<Token: SessionToken>(
        _ token: Token, _ text: String, _ laws: inout ViolationCollector
    ) {
        laws.expect(token.text == text, "a token has one spelling")
        let lengths = Token.prefix == RefreshToken.prefix ? [64, 85] : [64]
        laws.expect(lengths.contains(text.utf8.count), "a token has the length of its kind")
        laws.expect(
            text.hasPrefix(Token.prefix + token.sessionID + "_"), "a token contains its session")
        laws.expect(token.hasDigest(token.digest), "a token has its own digest")
        let other = text.utf8.last == 0x41 ? "E" : "A"
        let changed = String(text.dropLast()) + other
        laws.expect(
            Token(changed)?.hasDigest(token.digest) != true, "another secret has another digest")
    }
}
