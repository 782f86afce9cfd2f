import BroadsheetHTTP
import Testing

@Suite struct ForwardedNodesTests {
    private func texts(_ nodes: [ForwardedNode?]?) -> [String]? {
        nodes?.map { node in node.map { "\($0.host) \($0.port)" } ?? "-" }
    }

    @Test(
        arguments: [
            ([], nil), (["for=192.0.2.1"], ["192.0.2.1 0"]),
            (["For=\"192.0.2.1:4711\";proto=https"], ["192.0.2.1 4711"]),
            (["proto=https;for=\"[2001:db8::1]:80\""], ["2001:db8::1 80"]),
            (["for=\"[2001:DB8::1]\""], ["2001:DB8::1 0"]),
            (["for=192.0.2.1, for=198.51.100.2"], ["192.0.2.1 0", "198.51.100.2 0"]),
            (["for=192.0.2.1", "for=198.51.100.2"], ["192.0.2.1 0", "198.51.100.2 0"]),
            (["for=unknown, for=_hidden, by=192.0.2.1"], ["-", "-", "-"]),
            (["for=\"192.0.2.1:_port\""], ["192.0.2.1 0"]),
            (["for=192.0.2.1, for"], ["192.0.2.1 0", "-"]), (["for=\"192.0.2.1"], ["-"]),
            (["for=192.0.2.1:80"], ["192.0.2.1 80"]), (["for=\"[2001:db8::1\""], ["-"]), ([""], []),
            (["proto=https; FOR=[2001:db8::1]:80 ;by=_a"], ["2001:db8::1 80"]),
            (["for=2001:db8::1"], ["2001:db8::1 0"]), (["for=\"192.0.2.1\\\""], ["-"]),
            // What a client sent, and what its proxy added.
            (["for=\"a, for=192.0.2.1"], ["-", "192.0.2.1 0"]),
            (["\" for ;=", "for=\"[2001:db8::1]:80\""], ["-", "2001:db8::1 80"]),
        ] as [([String], [String]?)])
    func `each Forwarded element names a node`(values: [String], expected: [String]?) {
        var fields = HTTPFields()
        for value in values { fields.append(.forwarded, value) }
        #expect(texts(ForwardedNodes.forwarded(fields)) == expected)
    }

    @Test(
        arguments: [
            ([], nil), (["192.0.2.1"], ["192.0.2.1 0"]),
            ([" 192.0.2.1 ,2001:db8::1"], ["192.0.2.1 0", "2001:db8::1 0"]),
            (["192.0.2.1:80, [2001:db8::1]:80"], ["192.0.2.1 80", "2001:db8::1 80"]),
            (["192.0.2.1", "198.51.100.2"], ["192.0.2.1 0", "198.51.100.2 0"]),
            (["unknown, example.org, "], ["-", "-", "-"]), ([""], ["-"]),
            (["[::1]x, [::1]:99999"], ["-", "::1 0"]),
            (
                ["\"[2001:db8::1]:80\", \"192.0.2.1:80\",\"2001:db8::1\""],
                ["2001:db8::1 80", "192.0.2.1 80", "2001:db8::1 0"]
            ),
            (["\"192.0.2.1, 192.0.2.1\", \", \"\""], ["-", "-", "-", "-"]),
            (["\"\\\", 198.51.100.2:123"], ["-", "198.51.100.2 123"]),
        ] as [([String], [String]?)])
    func `X-Forwarded-For is a list of nodes`(values: [String], expected: [String]?) {
        var fields = HTTPFields()
        for value in values { fields.append(.xForwardedFor, value) }
        #expect(texts(ForwardedNodes.xForwardedFor(fields)) == expected)
    }
}
