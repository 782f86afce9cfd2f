import Sockets

/// The header that a proxy sends before the first byte of a connection.
enum ProxyLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = LawBook()
        guard let header = ProxyHeader(input) else { return [] }
        laws.expect(ProxyHeader(input.dropLast()) == nil, "a header that is cut off is none")
        laws.expect(ProxyHeader(input + [0]) == nil, "nothing stands behind a header")
        laws.expect(header.client != nil || header.isSecure == nil, "TLS is a client's")
        return laws.broken
    }
}

extension ProxyHeader {
    fileprivate init?(_ bytes: ArraySlice<UInt8>) { self.init(Array(bytes)) }
}
