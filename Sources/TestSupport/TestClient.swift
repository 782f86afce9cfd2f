public import HTTP
public import Sockets

/// A small HTTP client that uses a new connection for each request.
public struct TestClient: Sendable {
    public let address: SocketAddress

    public init(_ address: SocketAddress) { self.address = address }

    public func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) throws -> ReceivedResponse {
        let connection = try RawConnection(address)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields.all { head += "\(field.name): \(field.value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try connection.send(Array("\(head)\r\n".utf8) + body)
        return try connection.response(to: method)
    }

    public func get(_ target: String) throws -> ReceivedResponse { try send(.get, target) }
}
