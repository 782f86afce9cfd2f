import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The behaviour of servers on single streams.
@Suite struct HTTP2StreamTests {
    /// Handles the first request of each connection with the script, and waits for the client's
    /// end.
    private func outcome(
        to request: HTTPRequest = plain, _ options: ExchangeOptions = patient,
        _ script: @escaping @Sendable (HTTP2Peer, Int32) async throws -> Void
    ) async throws -> Result<HTTPResponse, HTTPClientError> {
        let outcome = Lock<Result<HTTPResponse, HTTPClientError>>(.failure(.stopped))
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            guard let (stream, _) = try await peer.request() else { return }
            try await script(peer, stream)
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            do throws(HTTPClientError) {
                let response = try await client.send(
                    request, to: HTTPOrigin(server.address), options: options)
                outcome.withLock { $0 = .success(response) }
            } catch { outcome.withLock { $0 = .failure(error) } }
        }
        return outcome.withLock { $0 }
    }

    @Test func `interim responses and trailers are ignored`() async throws {
        let response = try await outcome { peer, stream in
            try await peer.inform(on: stream, status: "103")
            try await peer.respond(on: stream, "hello", [.etag: "\"1\""], isLast: false)
            let trailer = TestFrame.field("x-end", "1")
            try await peer.send(TestFrame.bytes(1, flags: 5, stream: UInt32(stream), trailer))
        }.get()
        #expect(response.text == "hello")
        #expect(response.fields[.etag] == "\"1\"")
        #expect(response.fields.count == 1)
    }

    @Test func `endless interim responses are rejected`() async throws {
        let result = try await outcome { peer, stream in
            for _ in 0..<17 { try await peer.inform(on: stream, status: "103") }
        }
        guard case .failure(.malformed) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `a response to HEAD has no body, whatever its fields`() async throws {
        let result = try await outcome(to: try request("/", .head)) { peer, stream in
            try await peer.respond(on: stream, "", [.contentLength: "5"])
        }
        #expect(try result.get().fields[.contentLength] == "5")
    }

    @Test(arguments: [HTTP2ErrorCode.internal, .cancel, .none])
    func `a stream that ends early is not a complete response`(code: HTTP2ErrorCode) async throws {
        let result = try await outcome { peer, stream in
            try await peer.respond(on: stream, "hell", isLast: false)
            try await peer.reset(stream, code)
        }
        #expect(throws: HTTPClientError.disconnected) { try result.get() }
    }

    @Test(arguments: [
        [(":status", "20")], [("etag", "1")], [(":status", "200"), ("Upper", "1")],
        [(":status", "200"), ("connection", "close")], [(":status", "200"), ("a", "b\u{7}")],
        [(":status", "200"), (":path", "/")], [(":status", "101")],
        [(":status", "200"), ("content-length", "a")],
    ])
    func `an invalid head is rejected`(fields: [(String, String)]) async throws {
        let result = try await outcome { peer, stream in
            let block = fields.flatMap { TestFrame.field($0.0, $0.1) }
            try await peer.send(TestFrame.bytes(1, flags: 5, stream: UInt32(stream), block))
        }
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        switch error {
        case .malformed, .disconnected: break
        default: Issue.record("\(error)")
        }
    }

    @Test(arguments: ["4", "6"])
    func `a body of another length than stated is rejected`(length: String) async throws {
        for options in [patient, patientStream] {
            let result = try await outcome(options: options, length)
            guard case .failure(.malformed) = result else {
                Issue.record("\(result)")
                return
            }
        }
    }

    private func outcome(
        options: ExchangeOptions, _ length: String
    ) async throws -> Result<HTTPResponse, HTTPClientError> {
        let result = try await outcome(to: plain, options) { peer, stream in
            try await peer.respond(on: stream, "hello", [.contentLength: length])
        }
        guard case .success(let response) = result, options.isStreamed else { return result }
        do {
            _ = try await response.gathered()
            return result
        } catch { return .failure(try #require(error as? HTTPClientError)) }
    }

    @Test func `a body above the limit is rejected`() async throws {
        for fields: HTTPFields in [[:], [.contentLength: "11"]] {
            var options = patient
            options.bodyBytes = 10
            let result = try await outcome(to: plain, options) { peer, stream in
                try await peer.respond(on: stream, "hello hello", fields)
                #expect(try await peer.end(of: stream) != nil)
            }
            #expect(throws: HTTPClientError.tooLarge(limitBytes: 10)) { try result.get() }
        }
    }

    @Test func `bytes that are not HTTP2 end all exchanges`() async throws {
        let result = try await outcome { peer, _ in
            try await peer.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
        guard case .failure(.malformed) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `a response that does not arrive in time fails alone`() async throws {
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            while let (stream, head) = try await peer.request() {
                guard head.target.description == "/" else {
                    try await peer.respond(on: stream, "there")
                    continue
                }
                try await peer.respond(on: stream, "hell", isLast: false)
                #expect(try await peer.end(of: stream) == .cancel)
                ended.give()
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            var options = ExchangeOptions()
            options.stallMilliseconds = nil
            options.deadlineMilliseconds = 50
            var rounds = 0
            while rounds < 20 {
                let error = await failure { [options] () throws(HTTPClientError) in
                    try await client.send(plain, to: origin, options: options)
                }
                #expect(error == .timedOut)
                await ended.wait()
                let count = server.acceptedCount
                #expect(try await texts(["/other"], of: client, origin) == ["there"])
                guard server.acceptedCount > count else {
                    rounds += 1
                    continue
                }
                // If nothing arrives in time, the connection is not used for others: on a machine
                // that is busy, the beginning of the response may take longer.
                let deadline = options.deadlineMilliseconds
                try #require(deadline < 50_000, "another connection was opened")
                options.deadlineMilliseconds = deadline * 10
            }
        }
    }

    @Test(arguments: [true, false])
    func `a connection on which nothing more arrives is not used for other requests`(
        hasBegun: Bool
    ) async throws {
        let asked = Lock<[Int: Int]>([:])
        try await ScriptedServer.run { peer, index in
            let peer = HTTP2Peer(peer)
            while let (stream, _) = try await peer.request() {
                asked.withLock { $0[index, default: 0] += 1 }
                guard index > 0 || hasBegun else { continue }
                try await peer.respond(on: stream, "\(index)", isLast: index > 0)
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            var options = ExchangeOptions()
            var stall: Int64 = 50
            var errors = 0
            while stall <= 50_000 {
                options.stallMilliseconds = stall
                let error = await failure { [options] () throws(HTTPClientError) in
                    try await client.send(plain, to: origin, options: options)
                }
                guard let error else { break }
                #expect(error == .timedOut)
                errors += 1
                // Another connection may be slow only because the machine is busy.
                stall *= 10
            }
            #expect(errors >= 1 && server.acceptedCount >= 2)
            // The first one may fail while the settings arrive.
            #expect(asked.withLock { $0.values.allSatisfy { $0 <= 2 } })
        }
    }

    @Test func `cancelling resets the stream and leaves the others alone`() async throws {
        let (arrived, codes) = (Signal(), Lock([HTTP2ErrorCode?]()))
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            guard let (first, _) = try await peer.request() else { return }
            guard let (second, _) = try await peer.request() else { return }
            arrived.give()
            let code = try await peer.end(of: second)
            codes.withLock { $0.append(code) }
            try await peer.respond(on: first, "first")
            ended.give()
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            async let first = client.send(plain, to: origin, options: patient).text
            while client.connectionCount == 0 { await Task.yield() }
            let second = Task {
                await failure { () throws(HTTPClientError) in
                    try await client.send(plain, to: origin, options: patient)
                }
            }
            await arrived.wait()
            second.cancel()
            #expect(await second.value == .cancelled)
            await ended.wait()
            #expect(codes.withLock { $0 } == [.cancel])
            _ = try await first
            #expect(client.connectionCount == 1)
        }
    }

    @Test func `releasing or cancelling a streamed body resets its stream`() async throws {
        let codes = Lock([HTTP2ErrorCode?]())
        try await ScriptedServer.run { peer, _ in
            let peer = HTTP2Peer(peer)
            while let (stream, _) = try await peer.request() {
                try await peer.respond(on: stream, "begun", isLast: false)
                let code = try await peer.end(of: stream)
                codes.withLock { $0.append(code) }
            }
        } _: { server in
            let client = try HTTPClient.cleartextHTTP2()
            let origin = HTTPOrigin(server.address)
            do { _ = try await client.send(plain, to: origin, options: patientStream) }
            #expect(await eventually { codes.withLock { $0 } == [.cancel] })
            let answer = try await client.send(plain, to: origin, options: patientStream)
            let reader = Task { try await answer.gathered() }
            reader.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await reader.value }
            #expect(await eventually { codes.withLock { $0 } == [.cancel, .cancel] })
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a response before the end of an upload is accepted`() async throws {
        let put = try request("/", .put, body: [UInt8](repeating: 7, count: 50_000_000))
        let result = try await outcome(to: put) { peer, stream in
            try await peer.respond(on: stream, status: "413")
            #expect(try await peer.end(of: stream) == .cancel)
        }
        #expect(try result.get().status == .contentTooLarge)
    }
}
