public import HTTP

/// An answer whose octets are ready, but for those that are new each time (`Date`, the request's
/// id). A class: it is passed on by one reference.
final class ReadyAnswer: Sendable {
    let response: HTTPResponse
    /// The route that made it, for logs.
    let template: String
    /// Status line and fields, without the empty line.
    let head: [UInt8]
    let body: [UInt8]
    /// Where the head tells caches that the answer is `public`, which it is not for a reader with
    /// credentials; `nil`: it does not.
    let publicWord: Range<Int>?

    /// - Parameter response: of bytes, or without a body.
    init(_ response: HTTPResponse, template: String) {
        self.response = response
        self.template = template
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
        var head: [UInt8] = []
        var fields = response.fields
        ProtectiveFields.add(to: &fields, of: response.status)
        ResponseSerializer.appendConstant(
            status: response.status, fields: fields,
            framing: response.status.forbidsBody ? .none : .length(body.count), to: &head)
        self.head = head
        publicWord = head.firstRange(of: Self.publicLine).map { line in
            line.upperBound - "public".utf8.count..<line.upperBound
        }
    }

    private static let publicLine = Array("\r\n\(HTTPFieldName.cacheControl): public".utf8)

    /// What it takes in memory.
    var bytes: Int { body.capacity + head.capacity + response.fields.wireBytes.count }
}

extension HTTPResponse {
    /// The same response for one reader alone: `private`, where shared caches may keep it otherwise
    /// (RFC 9111 §5.2.2.7).
    public func madePrivate() -> HTTPResponse {
        guard let directives = fields[.cacheControl], directives.hasPrefix("public") else {
            return self
        }
        var response = self
        response.fields[.cacheControl] = "private" + directives.dropFirst("public".count)
        return response
    }
}
