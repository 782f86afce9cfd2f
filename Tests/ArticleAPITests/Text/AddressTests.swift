import ArticleAPI
import Testing

/// Language tags and web addresses.
struct AddressTests {
    @Test(arguments: [
        ("en", "en"), ("EN-us", "en-US"), ("zh-hant-tw", "zh-Hant-TW"), ("ko-KR", "ko-KR"),
        ("es-419", "es-419"), ("de-1996", "de-1996"), ("sl-rozaj-biske", "sl-rozaj-biske"),
        ("zh-cmn-Hans-CN", "zh-cmn-Hans-CN"), ("en-u-ca-gregory", "en-u-ca-gregory"),
        ("en-x-twain", "en-x-twain"), ("x-private", "x-private"), ("x-X", "x-x"),
    ])
    func `language tags are normalized to the recommended case`(text: String, tag: String) {
        #expect(LanguageTag(text)?.text == tag)
    }

    @Test(arguments: [
        "", "e", "en_US", "en-", "-en", "en--us", "english!", "한국어", "abcdefghi", "en-u", "en-x",
        "x", "de-1996-1996", "en-a-bb-a-cc", "en-US-GB", "1en", "en-abcdefghijk",
        "en-x-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa",
    ])
    func `other texts are not language tags`(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    @Test(arguments: [
        "http://a", "https://a.example", "HTTPS://A.example:443/", "http://127.0.0.1:8080/x",
        "http://[::1]:80/a", "https://a.example/p/%ED%95%9C?q=1&r=[#f".replacing("[", with: ""),
        "https://a.example?q", "https://a.example#f", "https://xn--9n2bp8q.example/",
    ])
    func `absolute web addresses are accepted`(text: String) {
        #expect(WebAddress.fault(text) == nil)
    }

    @Test(arguments: [
        "", "a", "/a", "//a/b", "ftp://a", "javascript:alert(1)", "http:", "http://", "http:///x",
        "http://a b/", "http://u@a/", "http://u:p@a/", "http://a:0/", "http://a:65536/",
        "http://a:/", "http://-a/", "http://a..b/", "http://한국.example/", "http://a/한",
        "http://a/%zz", "http://a/%4", "http://a/#b#c", "http://a/\"b", "http://a/<b>",
        "http://[::1", "http://[zz]/", "http://[::1]x/", "http://a\\b/", "http://a/\u{0}",
        "http://a/" + String(repeating: "b", count: 2000),
    ])
    func `other texts are not web addresses`(text: String) {
        #expect(WebAddress.fault(text)?.isEmpty == false)
    }
}
