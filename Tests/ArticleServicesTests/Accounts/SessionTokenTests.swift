import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct SessionTokenTests {
    private static let secret = [UInt8](0..<32)
    private static let secrets = String(repeating: "A", count: 43)

    @Test func `the tokens of a session name it, and are read back as they were`() {
        let tokens = SessionTokens(secret: Self.secret, system: .real)
        #expect(tokens.access.text.hasPrefix("bsa_" + tokens.access.sessionID + "_"))
        #expect(tokens.refresh.text.hasPrefix("bsr_" + tokens.access.sessionID + "_"))
        #expect(tokens.access.text.utf8.count == 64 && tokens.refresh.text.utf8.count == 85)
        #expect(AccessToken(tokens.access.text) == tokens.access)
        #expect(RefreshToken(tokens.refresh.text) == tokens.refresh)
        #expect(tokens.access.text.suffix(43) != tokens.refresh.text.suffix(43))
    }

    @Test func `no two sessions have anything in common`() {
        let tokens = (0..<1_000).map { _ in SessionTokens(secret: Self.secret, system: .real) }
        #expect(Set(tokens.map(\.access.sessionID)).count == 1_000)
        let secrets = tokens.flatMap { [$0.access.text.suffix(43), $0.refresh.text.suffix(43)] }
        #expect(Set(secrets).count == 2_000)
    }

    @Test func `one kind of token is not taken for the other, nor for a key`() {
        let tokens = SessionTokens(secret: Self.secret, system: .real)
        #expect(RefreshToken(tokens.access.text) == nil)
        #expect(AccessToken(tokens.refresh.text) == nil)
        #expect(APIKey.publicID(of: tokens.access.text) == nil)
        #expect(AccessToken("bsk_0123456789abcdef_\(Self.secrets)") == nil)
    }

    @Test(arguments: [
        "", "bsa_", "bsa_0123456789abcdef", "bsa_0123456789abcdef_",
        "bsa_0123456789abcdef-\(secrets)", "bsa_0123456789ABCDEF_\(secrets)",
        "bsa_0123456789abcdeg_\(secrets)", "bsa_0123456789abcde_\(secrets)A",
        "bsa_0123456789abcdef_\(secrets)A", "bsa_0123456789abcdef_\(secrets.dropLast())",
        "bsa_0123456789abcdef_\(secrets.dropLast())=",
        "bsa_0123456789abcdef_\(secrets.dropLast())+",
        "bsa_0123456789abcdef_\(secrets.dropLast())B", "BSA_0123456789abcdef_\(secrets)",
        " bsa_0123456789abcdef_\(secrets)", "bsa_0123456789abcdef_\(secrets)\n",
        "bsa_0123456789abcde\u{661}_\(secrets.dropLast())", "bsa_é123456789abcde_\(secrets)",
    ])
    func `a text of another form is not a token`(text: String) {
        #expect(AccessToken(text) == nil)
    }

    @Test func `a damaged token never names a session, unless it still has the form of one`() {
        var generator = SplitMix64(seed: 7)
        let form = /bs[ar]_[0-9a-f]{16}_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]/
        let marked = /bsr_[0-9a-f]{16}_[A-Za-z0-9_-]{64}/
        for _ in 0..<10_000 {
            let tokens = SessionTokens(secret: Self.secret, system: .real)
            let isAccess = Bool.random(using: &generator)
            var bytes = Array((isAccess ? tokens.access.text : tokens.refresh.text).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                Self.damage(&bytes, &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let hasForm = text.wholeMatch(of: form) != nil || text.wholeMatch(of: marked) != nil
            let access = AccessToken(text)
            let refresh = RefreshToken(text)
            #expect((access != nil) == (hasForm && text.hasPrefix("bsa_")), "\(text)")
            #expect((refresh != nil) == (hasForm && text.hasPrefix("bsr_")), "\(text)")
            if let id = access?.sessionID ?? refresh?.sessionID {
                #expect(id == String(text.dropFirst(4).prefix(16)))
            }
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        let place = Int.random(in: 0..<max(1, bytes.count), using: &generator)
        let byte = UInt8.random(in: .min ... .max, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where !bytes.isEmpty: bytes.remove(at: place)
        case 1: bytes.insert(byte, at: min(place, bytes.count))
        case 2: bytes.removeLast(min(place, bytes.count))
        case 3: bytes += bytes.prefix(place)
        default: if !bytes.isEmpty { bytes[place] = byte }
        }
    }

    @Test func `a token is compared by its digest`() {
        let tokens = SessionTokens(secret: Self.secret, system: .real)
        #expect(tokens.access.digest == Digest.sha256(tokens.access.text.utf8))
        #expect(tokens.access.hasDigest(tokens.access.digest))
        #expect(!tokens.access.hasDigest(tokens.refresh.digest))
        #expect(!tokens.access.hasDigest([]))
    }

    @Test func `a token always has the same successor, of the same session`() {
        let first = SessionTokens(secret: Self.secret, system: .real)
        let next = first.refresh.successor(secret: Self.secret)
        #expect(first.refresh.successor(secret: Self.secret) == next)
        #expect(RefreshToken(first.refresh.text)?.successor(secret: Self.secret) == next)
        #expect(next.access.sessionID == first.access.sessionID)
        #expect(next.refresh.sessionID == first.refresh.sessionID)
        #expect(AccessToken(next.access.text) == next.access)
        #expect(RefreshToken(next.refresh.text) == next.refresh)
    }

    @Test func `a successor depends on the token and the secret, and all tokens differ`() {
        let first = SessionTokens(secret: Self.secret, system: .real)
        var texts: Set<Substring> = []
        var tokens = first
        for _ in 0..<100 {
            texts.insert(tokens.access.text.suffix(43))
            texts.insert(tokens.refresh.text.suffix(64))
            tokens = tokens.refresh.successor(secret: Self.secret)
        }
        #expect(texts.count == 200)
        let next = first.refresh.successor(secret: Self.secret)
        #expect(first.refresh.successor(secret: Array(Self.secret.reversed())) != next)
        #expect(
            SessionTokens(secret: Self.secret, system: .real).refresh.successor(secret: Self.secret)
                != next)
    }

    @Test func `the successor of a known token is known`() throws {
        let token = try #require(
            RefreshToken("bsr_0123456789abcdef_" + ByteText.base64URL(Self.secret)))
        let next = token.successor(secret: Self.secret)
        let random = Digest.hmac(Array("bsr_ after \(token.text)".utf8), key: Self.secret)
        let mark = Digest.hmac(Array("mark of 0123456789abcdef ".utf8) + random, key: Self.secret)
        let expected = ByteText.base64URL(random + mark.prefix(16))
        #expect(next.refresh.text == "bsr_0123456789abcdef_" + expected)
    }

    @Test func `only a token that the server made for this session has a valid mark`() throws {
        let tokens = SessionTokens(secret: Self.secret, system: .real)
        let next = tokens.refresh.successor(secret: Self.secret)
        #expect(tokens.refresh.isMarked(by: Self.secret) && next.refresh.isMarked(by: Self.secret))
        #expect(!tokens.refresh.isMarked(by: Array(Self.secret.reversed())))
        let id = tokens.refresh.sessionID
        let bytes = Array(tokens.refresh.text.utf8)
        for place in 21..<85 {
            var other = bytes
            other[place] = other[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let token = try #require(RefreshToken(String(decoding: other, as: UTF8.self)))
            #expect(!token.isMarked(by: Self.secret), "\(place)")
        }
        let moved = tokens.refresh.text.replacing(id, with: "0123456789abcdef")
        #expect(try !#require(RefreshToken(moved)).isMarked(by: Self.secret))
        let old = try #require(RefreshToken("bsr_\(id)_\(Self.secrets)"))
        #expect(!old.isMarked(by: Self.secret))
    }
}
