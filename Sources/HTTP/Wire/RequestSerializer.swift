/// Writes requests as HTTP/1.1 octets (RFC 9112 §3).
public enum RequestSerializer {
    /// The whole request: line, fields, `Content-Length` where there is a body or the method
    /// expects one, and the body. `Host` has to be among the fields.
    public static func bytes(of request: HTTPRequest) -> [UInt8] {
        var bytes = Array("\(request.method.rawValue) ".utf8)
        bytes += request.target.bytes
        bytes += Array(request.version == .http11 ? " HTTP/1.1\r\n".utf8 : " HTTP/1.0\r\n".utf8)
        bytes += request.fields.wireBytes
        let expectsBody = [.post, .put, .patch].contains(request.method)
        if expectsBody || !request.body.isEmpty {
            bytes += Array("Content-Length: \(request.body.count)\r\n".utf8)
        }
        bytes += [0x0D, 0x0A]
        return bytes + request.body
    }
}
