/// Writes requests as HTTP/1.1 octets (RFC 9112 §3).
public enum RequestSerializer {
    /// Serializes the whole request: request line, fields, `Content-Length` if there is a body or
    /// the method implies one, and the body. The fields must include `Host`; a body length among
    /// them is ignored, as the body determines it.
    public static func bytes(of request: HTTPRequest) -> [UInt8] {
        var fields = request.fields
        fields.remove(.contentLength)
        fields.remove(.transferEncoding)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            request.target.bytes.count + fields.wireBytes.count + request.body.count + 64)
        bytes.append(contentsOf: request.method.rawValue.utf8)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: request.target.bytes)
        bytes.append(
            contentsOf: (request.version == .http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n").utf8)
        bytes.append(contentsOf: fields.wireBytes)
        let expectsBody = [.post, .put, .patch].contains(request.method)
        if expectsBody || !request.body.isEmpty {
            bytes.append(contentsOf: "Content-Length: \(request.body.count)\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        bytes.append(contentsOf: request.body)
        return bytes
    }
}
