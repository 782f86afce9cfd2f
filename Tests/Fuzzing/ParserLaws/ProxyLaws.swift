import BroadsheetSockets

/// The header that a proxy sends before the first byte of a connection.
enum ProxyLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        guard let header = ProxyHeader(input) else { return [] }
        laws.expect(ProxyHeader(input.dropLast()) == nil, "a truncated header is rejected")
        laws.expect(ProxyHeader(input + [0]) == nil, "nothing may follow a header")
        // A client without a known address may have used TLS.
        let isLocal = input[12] & 0x0F == 0
        laws.expect(
            !isLocal || header.client == nil && header.isSecure == nil,
            "a proxy that connects for itself reports no client")
        return laws.broken
    }
}

extension ProxyHeader {
    fileprivate init?(_ bytes: ArraySlice<UInt8>) { self.init(Array(bytes)) }
}
