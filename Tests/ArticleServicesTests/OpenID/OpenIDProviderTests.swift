import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// Providers as the operator writes them.
@Suite struct OpenIDProviderTests {
    @Test(arguments: [
        (
            "apple=https://appleid.apple.com,org.example.app", "https://appleid.apple.com",
            "https://appleid.apple.com/.well-known/openid-configuration"
        ),
        (
            "a-1=https://id.example.org:8443/tenant/,x=y", "https://id.example.org:8443/tenant/",
            "https://id.example.org:8443/tenant/.well-known/openid-configuration"
        ),
    ])
    func `a provider has a name, an issuer and an audience`(
        text: String, issuer: String, discovery: String
    ) throws {
        let provider = try OpenIDProvider(text)
        #expect(provider.issuer == issuer && "\(provider.discovery)" == discovery)
        #expect(text.hasPrefix(provider.name + "=") && text.hasSuffix("," + provider.audience))
    }

    @Test func `other clients may be named behind the audience`() throws {
        let provider = try OpenIDProvider("g=https://a.test,web,android,x=y")
        #expect(provider.audience == "web" && provider.parties == ["android", "x=y"])
        #expect(["web", "android", "x=y"].allSatisfy(provider.isParty))
        #expect(["Android", "", "ios"].allSatisfy { !provider.isParty($0) })
        let most = "a=https://a.test,b" + String(repeating: ",c", count: 16)
        #expect(try OpenIDProvider(most).parties.count == 16)
    }

    @Test(
        arguments: [
            ("", .form), ("apple", .form), ("apple=https://a.test", .form), ("=", .form),
            ("https://a.test,b", .form), ("=https://a.test,b", .name),
            ("A=https://a.test,b", .name),
            ("1=https://a.test,b", .name), ("a b=https://a.test,b", .name),
            ("é=https://a.test,b", .name),
            ("abcdefghijklmnopqrstuvwxyz0123456=https://a.test,b", .name),
            ("a=,b", .issuer), ("a=http://a.test,b", .issuer), ("a=HTTPS://a.test,b", .issuer),
            ("a=https://,b", .issuer), ("a=https://u:p@a.test,b", .issuer),
            ("a=https://a.test?q,b", .issuer), ("a=https://a.test#f,b", .issuer),
            ("a=https://a.test:99999,b", .issuer), ("a=https://a test,b", .issuer),
            ("a=https://é.test,b", .issuer), ("a=https://a.test,", .audience),
            ("a=https://a.test,b,", .audience), ("a=https://a.test,b c", .audience),
            ("a=https://a.test,é", .audience), ("a=https://a.test,b,c d", .audience),
            ("a=https://a.test,b,c,,d", .audience),
            ("a=https://a.test,b" + String(repeating: ",c", count: 17), .audience),
        ] as [(String, OpenIDProvider.Fault)])
    func `a wrong provider is rejected with what is wrong`(
        text: String, fault: OpenIDProvider.Fault
    ) {
        #expect(throws: fault) { try OpenIDProvider(text) }
    }
}
