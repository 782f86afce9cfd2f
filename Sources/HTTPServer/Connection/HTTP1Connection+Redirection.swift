import HTTP
import Sockets

/// Listeners that only redirect to HTTPS.
extension HTTP1Connection {
    /// Redirects the client to the same resource over HTTPS (RFC 9110 §15.4.9).
    func redirect(_ head: borrowing RequestHead, port: UInt16) async throws(ChannelError) -> Bool {
        guard let location = Self.secureLocation(of: head, port: port) else {
            try await reject(HTTPError(.badRequest, "Use HTTPS."))
            return false
        }
        let response = HTTPResponse(
            .permanentRedirect,
            fields: [.location: location, .contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(location)\n".utf8)))
        let goesOn = try await send(
            response, keepsAlive: head.keepsAlive && head.framing == .none)
        // Discards an announced body, so that the client can read the response.
        if !goesOn { await linger() }
        return goesOn
    }

    private static func secureLocation(of head: borrowing RequestHead, port: UInt16) -> String? {
        let stated =
            head.target.authority.map { Array($0) }
            ?? head.fields[.host].map {
                Array($0.utf8)
            }
        guard let authority = stated.flatMap(Authority.init),
            HostNames.isAddress(authority.host) || HostNames.isName(authority.host),
            head.target.form == .origin || head.target.form == .absolute
        else { return nil }
        var location = "https://" + authority.host + (port == 443 ? "" : ":\(port)")
        location += String(decoding: head.target.path, as: UTF8.self)
        if let query = head.target.query {
            location += "?" + String(decoding: query, as: UTF8.self)
        }
        return location
    }
}
