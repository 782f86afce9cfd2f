import ArticleAPI
import ArticleAccounts
import ArticleServiceCore
import ArticleServices
import ParserLaws

/// An untrusted ID token, the claims of one, and a set of keys: only what was signed is accepted.
enum TokenLaws {
    /// The key that signed a seed.
    private static let keys = try? KeySet(
        Array(
            (#"{"keys":[{"kid":"f1","kty":"EC","crv":"P-256","#
                + #""x":"5CVHkKpxYUIy1EUFa9iTVGSpy9T3sIr3s_f0RN5rZNM","#
                + #""y":"xoOXByltrhGmyGr6YfjtANproTHeETGk3Sh1UACy_M4"}]}"#).utf8))

    /// The SHA-256 of what the seed signs, in hexadecimal.
    private static let signed =
        "0b2f0c914a93072f999ba84d15560cd954c01f7e175812192f363280669de304"

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        laws.expect(keys != nil, "the keys can be read")
        if let set = try? KeySet(input) {
            laws.expect((try? KeySet(input + [0x20])) != nil, "space after keys does not matter")
            if let token = try? IdentityToken(text) {
                laws.expect(!set.verifies(token), "no text is both keys and a token")
            }
        }
        if let token = try? IdentityToken(text) { check(token, text, &laws) }
        // The input as the claims of a token, too: few inputs are base64url.
        let header = ByteText.base64URL(Array(#"{"alg":"ES256","kid":"f1"}"#.utf8))
        let wrapped = "\(header).\(ByteText.base64URL(input)).AAAA"
        if let token = try? IdentityToken(wrapped) { check(token, wrapped, &laws) }
        return laws.broken
    }

    private static func check(
        _ token: IdentityToken, _ text: String, _ laws: inout ViolationCollector
    ) {
        let input = String(decoding: token.signingInput, as: UTF8.self)
        laws.expect(
            text == "\(input).\(ByteText.base64URL(token.signature))", "a token has one spelling")
        laws.expect(text.utf8.count <= IdentityToken.limitBytes, "a token has a limit")
        laws.expect((1...255).contains(token.claims.subject.utf8.count), "a subject has a length")
        laws.expect(!token.claims.audiences.isEmpty, "there is an audience")
        // The fuzzer cannot forge signatures.
        let isSeed = ByteText.hexadecimal(token.digest) == signed
        laws.expect(isSeed || keys?.verifies(token) != true, "only what was signed is genuine")
    }
}
