import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Foundation
import Testing

@testable import BroadsheetURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app's own sessions and their errors.
@Suite struct URLSessionSessionTests {
    private static func request(_ fields: HTTPFields = [:]) throws -> HTTPRequest {
        HTTPRequest(.get, try #require(RequestTarget(path: "/")), fields: fields)
    }

    private static func options() -> TransportOptions {
        var options = TransportOptions()
        options.timeout = .seconds(600)
        options.stallTimeout = .seconds(600)
        return options
    }

    @Test func `an app's configuration is used without cache and cookies`()
        async throws
    {
        let app = try #require(HTTPFieldName("X-App"))
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                #expect(!request.fields.contains(.cookie))
                try await peer.send(
                    "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nCache-Control: max-age=1000\r\n"
                        + "Content-Length: 1\r\n\r\n\(request.fields[app] ?? "-")")
            }
        } _: { server in
            let configuration = URLSessionConfiguration.default
            configuration.httpAdditionalHeaders = ["X-App": "1"]
            let transport = URLSessionTransport(configuration: configuration)
            let origin = try #require(HTTPOrigin("http://\(server.address)"))
            for _ in 0..<2 {
                let response = try await transport.exchange(
                    try Self.request(), with: origin, options: Self.options())
                guard case .bytes(let bytes) = response.body else { throw TestFailure("no body") }
                #expect(bytes == Array("1".utf8))
            }
            #expect(configuration.httpCookieStorage != nil)
        }
    }

    @Test func `an invalidated transport cancels and rejects requests`()
        async throws
    {
        let arrived = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            arrived.give()
            await peer.waitForEnd()
        } _: { server in
            let transport = URLSessionTransport(configuration: .ephemeral)
            let origin = try #require(HTTPOrigin("http://\(server.address)"))
            let request = try Self.request()
            let task = Task { () async -> TransportError? in
                do throws(TransportError) {
                    _ = try await transport.exchange(
                        request, with: origin, options: Self.options())
                    return nil
                } catch { return error }
            }
            await arrived.wait()
            transport.invalidate()
            #expect(await task.value == .cancelled)
            await #expect(
                throws: TransportError.failed(
                    TransportFailure(.unsupported, "The transport was invalidated."))
            ) {
                try await transport.exchange(request, with: origin, options: Self.options())
            }
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nfirst", 5), ("\r\nfirst", nil),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n", nil),
    ])
    func `a stream reports its length if known`(rest: String, length: Int?) async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\n\(rest)")
        } _: { server in
            let origin = try #require(HTTPOrigin("http://\(server.address)"))
            var options = Self.options()
            options.isStreamed = true
            let response = try await URLSessionTransport().exchange(
                try Self.request(), with: origin, options: options)
            guard case .stream(let stream) = response.body else { throw TestFailure("no stream") }
            #expect(stream.length == length)
            var bytes: [UInt8] = []
            while let piece = try await stream.next() { bytes += piece }
            #expect(bytes == Array("first".utf8))
        }
    }

    @Test func `a decoded body has no known length`() throws {
        let url = try #require(URL(string: "http://localhost/"))
        func length(_ fields: [String: String]) throws -> Int? {
            HTTPResponse.bodyLength(
                try #require(
                    HTTPURLResponse(
                        url: url, statusCode: 200, httpVersion: nil, headerFields: fields)))
        }
        #expect(try length(["Content-Length": "5"]) == 5)
        #expect(try length(["Content-Length": "5", "Content-Encoding": "gzip"]) == nil)
        #expect(try length(["Content-Length": "-5"]) == nil)
        #expect(try length([:]) == nil)
    }

    @Test(arguments: [-1022, -1200, -1201, -1202, -1203, -1204, -1205, -1206])
    func `an untrusted server is reported as over sockets`(code: Int) {
        let error = TransportError(URLError(URLError.Code(rawValue: code) ?? .unknown))
        guard case .failed(let failure) = error else {
            Issue.record("\(code): \(error)")
            return
        }
        #expect(failure.kind == .insecure)
    }

    @Test func `a server that is not trusted is asked once`() async throws {
        let asked = Counter()
        let transport = InProcessTransport { _, _ in
            asked.next()
            throw TransportError(URLError(URLError.Code(rawValue: -1022) ?? .unknown))
        }
        let service = BackendService(
            configuration: BackendConfiguration(baseURL: "http://localhost"), transport: transport)
        await #expect(throws: BackendError.self) {
            try await service.send(FetchArticlesRequest())
        }
        #expect(asked.value == 1)
    }
}

/// The buffer of a streamed body for its reader.
@Suite struct URLSessionStreamTests {
    private static let piece = [UInt8](repeating: 1, count: 10)

    @Test func `a session is paused and resumed with its reader`() async throws {
        let calls = Locked<[String]>([])
        let stream = URLSessionStream(
            limitBytes: 15,
            URLSessionStream.Flow(
                pause: { calls.withLock { $0.append("pause") } },
                goOn: { calls.withLock { $0.append("go on") } }),
            abandon: { calls.withLock { $0.append("abandon") } })
        let reader = URLSessionStream.Reader(stream)
        #expect(stream.add(Self.piece))
        #expect(calls.withLock { $0 } == [])
        #expect(stream.add(Self.piece))
        // What was already received is still delivered.
        #expect(stream.add(Self.piece))
        #expect(calls.withLock { $0 } == ["pause"])
        #expect(try await reader.next()?.count == 30)
        #expect(calls.withLock { $0 } == ["pause", "go on"])
        for _ in 0..<2 { #expect(stream.add(Self.piece)) }
        #expect(calls.withLock { $0 } == ["pause", "go on", "pause"])
        stream.end(.success(()))
        #expect(try await reader.next()?.count == 20)
        #expect(try await reader.next() == nil)
    }

    @Test func `a session that cannot be paused loses the stream`() {
        let paused = Counter()
        let stream = URLSessionStream(
            limitBytes: 15,
            URLSessionStream.Flow(pause: { _ = paused.next() }, goOn: {}), abandon: {})
        for _ in 0..<6 { #expect(stream.add(Self.piece)) }
        #expect(!stream.add(Self.piece))
        #expect(paused.value == 1)
    }
}
