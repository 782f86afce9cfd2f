import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct SecureExchangeTests {
    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `bodies of any length are transferred completely`(version: Int32) async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, _) = try server.connect(test.options { $0.version = version })
            // Around the length of a record, and of what is encrypted at once.
            for length in [1, 16_383, 16_384, 16_385, 65_536, 79_784, 3_000_000] {
                let piece = (0..<min(length, 9_973)).map {
                    UInt8(truncatingIfNeeded: $0 &* 31 >> 3)
                }
                var body: [UInt8] = []
                for _ in 0..<length / piece.count { body += piece }
                let head = "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n"
                try connection.send(Array(head.utf8) + body)
                let response = try connection.response(to: .post)
                #expect(response.status == 200)
                #expect(areSame(response.body, body))
            }
        }
    }

    @Test func `a slow reader receives everything`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/large") { _, _ in
                HTTPResponse(.ok, body: .bytes([UInt8](repeating: 7, count: 4 << 20)))
            }
        }
        let test = try TLSTest()
        try await test.run(router) { server in
            let connection = try RawConnection(server.address, receiveBuffer: 4_096)
            try connection.startTLS(test.options())
            for _ in 0..<2 {
                try connection.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
                let response = try connection.response()
                #expect(response.body.count == 4 << 20)
                #expect(response.body.allSatisfy { $0 == 7 })
            }
        }
    }

    @Test func `pipelined requests get responses in order`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, _) = try server.connect(test.options())
            let requests = (0..<2_000).map { "GET /articles/\($0) HTTP/1.1\r\nHost: t\r\n\r\n" }
            try connection.send(requests.joined())
            for number in 0..<2_000 {
                #expect(try connection.response().text == "\(number)")
            }
        }
    }

    @Test func `a request in many records is one request`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, _) = try server.connect(test.options())
            for byte in get.utf8 { try connection.send([byte]) }
            #expect(try connection.response().text == "hello")
        }
    }

    @Test func `streams are sent piece by piece and end`() async throws {
        let router = try TestRoutes.router { routes in
            routes.on(.get, "/stream") { _, _ in
                let number = Lock(0)
                return HTTPResponse(
                    .ok,
                    body: .stream(
                        HTTPBodyStream {
                            let count = number.withLock { number in
                                number += 1
                                return number
                            }
                            return count > 50 ? nil : [UInt8](repeating: 1, count: count * 997)
                        }))
            }
        }
        let test = try TLSTest()
        try await test.run(router) { server in
            let (connection, _) = try server.connect(test.options())
            for version in ["1.1", "1.0"] {
                try connection.send("GET /stream HTTP/\(version)\r\nHost: t\r\n\r\n")
                #expect(try connection.response().body.count == 997 * 50 * 51 / 2)
            }
        }
    }

    @Test func `key updates are accepted during an exchange`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, session) = try server.connect(
                test.options { $0.version = TestTLS.tls13 })
            for _ in 0..<10 {
                session.updateKeys()
                try connection.send(get)
                #expect(try connection.response().text == "hello")
            }
        }
    }

    @Test func `a client that sent close_notify still gets its response and a close_notify`()
        async throws
    {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, session) = try server.connect(test.options())
            try connection.send(get)
            session.sendEnd()
            let answer = String(decoding: try connection.rest(), as: UTF8.self)
            #expect(answer.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test func `the server closes with close_notify`() async throws {
        let test = try TLSTest()
        try await test.run {
            $0.limits.idleMilliseconds = 3_000
        } _: { server in
            let (connection, _) = try server.connect(test.options())
            // `rest` fails if the stream ends without close_notify.
            #expect(try connection.rest().isEmpty)
            let (closing, _) = try server.connect(test.options())
            try closing.send("GET /hello HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            #expect(String(decoding: try closing.rest(), as: UTF8.self).hasSuffix("hello"))
        }
    }

    @Test func `a stopping server closes idle connections with close_notify`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (connection, _) = try server.connect(test.options())
            try connection.send(get)
            _ = try connection.response()
            #expect(server.server.buffersInUse == 0)
            await server.server.stop()
            #expect(try connection.rest().isEmpty)
        }
    }

    @Test func `connections above the limit receive 503 over TLS`() async throws {
        let test = try TLSTest()
        try await test.run {
            $0.limitConnections = 1
        } _: { server in
            let (first, _) = try server.connect(test.options())
            let (second, _) = try server.connect(test.options())
            #expect(try second.response().status == 503)
            try first.send(get)
            #expect(try first.response().status == 200)
        }
    }

    @Test func `certificates are replaced under load without failed requests`() async throws {
        let test = try TLSTest()
        try await test.run { server in
            let (kept, _) = try server.connect(test.options())
            let pairs = try (0..<4).map { try test.certificates.pair(["localhost", "\($0).test"]) }
            for round in 0..<150 {
                async let replaced: Void = test.tls.replace([pairs[round % 4]])
                let isServed = try server.serves(test.options())
                #expect(isServed)
                try kept.send(get)
                #expect(try kept.response().text == "hello")
                try await replaced
            }
        }
    }

    @Test func `invalid certificates are rejected, and the old ones stay in use`() async throws {
        let test = try TLSTest()
        let good = try test.certificates.pair(["new.test"])
        let other = try test.certificates.pair(["new.test"])
        let broken: [CertificateAndKey] = [
            CertificateAndKey(certificate: good.certificate, key: other.key),
            CertificateAndKey(certificate: Array(good.certificate.dropLast(200)), key: good.key),
            CertificateAndKey(certificate: good.certificate, key: []),
            CertificateAndKey(certificate: [], key: good.key),
            CertificateAndKey(certificate: good.key, key: good.certificate),
        ]
        try await test.run { server in
            for pair in broken {
                #expect(throws: TLSConfigurationError.self) { try test.tls.replace([pair]) }
            }
            #expect(throws: TLSConfigurationError.self) { try test.tls.replace([]) }
            let (_, session) = try server.connect(test.options())
            #expect(session.certificateName == "localhost")
        }
    }
}
