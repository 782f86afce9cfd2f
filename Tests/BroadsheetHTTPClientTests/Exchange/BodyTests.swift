import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct BodyTests {
    private static let streamed = {
        var options = patient
        options.isStreamed = true
        return options
    }()

    @Test func `a streamed response is returned with its head, and its body as it arrives`()
        async throws
    {
        let goOn = Signal()
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil {
                try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                try await peer.send("5\r\nfirst\r\n")
                await goOn.wait()
                try await peer.send("4\r\nlast\r\n0\r\n\r\n")
            }
        } _: { server in
            let client = try HTTPClient()
            let origin = HTTPOrigin(server.address)
            let answer = try await client.send(plain, to: origin, options: Self.streamed)
            guard case .stream(let stream) = answer.body else { throw TestFailure("no stream") }
            #expect(try await stream.next() == Array("first".utf8))
            goOn.give()
            #expect(try await stream.next() == Array("last".utf8))
            #expect(try await stream.next() == nil)
            #expect(try await stream.next() == nil)
            let second = try await client.send(plain, to: origin, options: Self.streamed)
            #expect(try await second.gathered() == Array("firstlast".utf8))
            #expect(server.acceptedCount == 1)
        }
    }

    @Test func `a truncated stream fails at its end`() async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell")
        } _: { server in
            let client = try HTTPClient()
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: Self.streamed)
            await #expect(throws: HTTPClientError.disconnected) { try await answer.gathered() }
        }
    }

    @Test func `a slow reader makes the server wait and loses nothing`() async throws {
        let sent = Counter()
        let total = 300
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(total << 16)\r\n\r\n")
            for number in 0..<total {
                try await peer.send([UInt8](repeating: UInt8(number & 0xFF), count: 1 << 16))
                sent.next()
            }
        } _: { server in
            var options = Self.streamed
            options.bodyBytes = total << 16
            let client = try HTTPClient()
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: options)
            guard case .stream(let stream) = answer.body else { throw TestFailure("no stream") }
            #expect(stream.length == total << 16)
            // The server fills the kernel's buffers and then has to wait.
            var before = -1
            while before != sent.value {
                before = sent.value
                for _ in 0..<2_000 { await Task.yield() }
            }
            #expect(sent.value < total)
            var count = 0
            while let piece = try await stream.next() {
                #expect(piece[0] == UInt8(count >> 16 & 0xFF))
                count += piece.count
            }
            #expect(count == total << 16)
        }
    }

    @Test func `releasing a stream closes its connection`() async throws {
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell")
            await peer.waitForEnd()
            ended.give()
        } _: { server in
            let client = try HTTPClient()
            do {
                let answer = try await client.send(
                    plain, to: HTTPOrigin(server.address), options: Self.streamed)
                #expect(answer.status == .ok)
            }
            await ended.wait()
            #expect(await eventually { client.connectionCount == 0 })
        }
    }

    @Test func `cancelling the reader of a stream closes its connection`() async throws {
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            await peer.waitForEnd()
            ended.give()
        } _: { server in
            let client = try HTTPClient()
            let answer = try await client.send(
                plain, to: HTTPOrigin(server.address), options: Self.streamed)
            let reader = Task { try await answer.gathered() }
            reader.cancel()
            await #expect(throws: HTTPClientError.cancelled) { try await reader.value }
            await ended.wait()
        }
    }

    @Test func `an upload reports its progress`() async throws {
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                try await peer.respond("\(request.body.count)")
            }
        } _: { server in
            let told = Lock([Int]())
            var options = patient
            options.uploadProgress = { sent, total in
                #expect(total == 3_000_000)
                told.withLock { $0.append(sent) }
            }
            let body = [UInt8](repeating: 7, count: 3_000_000)
            let put = try request("/", .put, body: body)
            let client = try HTTPClient()
            let answer = try await client.send(
                put, to: HTTPOrigin(server.address), options: options)
            #expect(answer.text == "3000000")
            let steps = told.withLock { $0 }
            #expect(steps == steps.sorted() && steps.last == 3_000_000 && steps.count > 20)
        }
    }

    @Test func `a response before the end of an upload is accepted`() async throws {
        try await ScriptedServer.run { peer, _ in
            try await peer.beginning()
            try await peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            let put = try request("/", .put, body: [UInt8](repeating: 7, count: 50_000_000))
            let answer = try await client.send(
                put, to: HTTPOrigin(server.address), options: patient)
            #expect(answer.status == .contentTooLarge)
            #expect(await eventually { client.connectionCount == 0 })
        }
    }
}
