import BroadsheetHTTP
import Testing

@Suite struct ForwardedTransportTests {
    @Test(
        arguments: [
            ([("Forwarded", "for=192.0.2.1;proto=https;by=203.0.113.1")], .secure),
            ([("forwarded", "Proto=\"HTTPS\"")], .secure),
            ([("Forwarded", "for=a;proto=https, for=b;proto=https")], .secure),
            ([("Forwarded", "for=a;proto=http, for=b;proto=https")], .plain),
            ([("Forwarded", "for=a;proto=https"), ("Forwarded", "for=b;proto=http")], .plain),
            ([("Forwarded", "for=\"[2001:db8::1]:80\" ; proto=http")], .plain),
            ([("Forwarded", "for=192.0.2.1")], nil),
            ([("Forwarded", "proto")], .plain), ([("Forwarded", "proto=https;=")], .plain),
            ([("Forwarded", "for=a;proto=\"https")], .plain),
            ([("X-Forwarded-Proto", "https")], .secure),
            ([("X-Forwarded-Proto", " HTTPS , https ")], .secure),
            ([("X-Forwarded-Proto", "http")], .plain),
            ([("X-Forwarded-Proto", "https,http")], .plain),
            ([("X-Forwarded-Proto", "")], .plain), ([("X-Forwarded-Proto", "https,")], .plain),
            ([("Forwarded", "proto=https"), ("X-Forwarded-Proto", "http")], .plain),
            ([("Forwarded", "proto=http"), ("X-Forwarded-Proto", "https")], .plain),
            ([("Forwarded", "for=a"), ("X-Forwarded-Proto", "https")], .secure), ([], nil),
        ] as [([(String, String)], ForwardedTransport?)])
    func `a transport is secure only if all proxies report https`(
        lines: [(String, String)], expected: ForwardedTransport?
    ) throws {
        var fields = HTTPFields()
        for (name, value) in lines { fields.append(try #require(HTTPFieldName(name)), value) }
        #expect(ForwardedTransport(fields) == expected)
    }
}
