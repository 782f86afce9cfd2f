import HTTP

/// An answer whose octets are ready, but for those that are new each time (`Date`, the request's
/// id). A class: it is passed on by one reference.
final class ReadyAnswer: Sendable {
    let response: HTTPResponse
    /// The route that made it, for logs.
    let template: String
    /// Status line and fields, without the empty line.
    let head: [UInt8]
    let body: [UInt8]

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
    }

    /// What it takes in memory.
    var bytes: Int { body.count + head.count + response.fields.wireBytes.count }
}
