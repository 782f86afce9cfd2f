import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetTestSupport
import Testing

@Suite struct CancellationTests {
    @Test func `cancelling an exchange ends it and its connection at once`() async throws {
        let arrived = Signal()
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            arrived.give()
            await peer.waitForEnd()
            ended.give()
        } _: { server in
            let client = try HTTPClient()
            let task = Task {
                await failure { () throws(HTTPClientError) in
                    try await client.send(
                        plain, to: HTTPOrigin(server.address), options: patient)
                }
            }
            await arrived.wait()
            task.cancel()
            #expect(await task.value == .cancelled)
            await ended.wait()
            #expect(await eventually { client.connectionCount == 0 })
        }
    }

    @Test func `cancelling a waiting exchange does not affect the others`() async throws {
        let arrived = Signal()
        let goOn = Signal()
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                arrived.give()
                await goOn.wait()
                try await peer.respond("\(request.target)")
            }
        } _: { server in
            var configuration = HTTPClientConfiguration()
            configuration.connectionsPerOrigin = 1
            let client = try HTTPClient(configuration)
            let origin = HTTPOrigin(server.address)
            async let first = client.send(plain, to: origin, options: patient).text
            await arrived.wait()
            let second = Task {
                await failure { () throws(HTTPClientError) in
                    try await client.send(plain, to: origin, options: patient)
                }
            }
            async let third = client.send(
                try request("/third"), to: origin, options: patient
            ).text
            second.cancel()
            #expect(await second.value == .cancelled)
            goOn.give()
            #expect(try await first == "/")
            #expect(try await third == "/third")
        }
    }

    @Test func `a task that is already cancelled sends nothing`() async throws {
        try await ScriptedServer.run { peer, _ in
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure { () throws(HTTPClientError) in
                    try await client.send(
                        plain, to: HTTPOrigin(server.address), options: patient)
                }
            }
            #expect(await task.value == .cancelled)
            #expect(server.acceptedCount == 0)
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell"])
    func `a response that does not arrive in time fails`(start: String) async throws {
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send(start)
            await peer.waitForEnd()
        } _: { server in
            let client = try HTTPClient()
            for isDeadline in [true, false] {
                var options = ExchangeOptions()
                if isDeadline {
                    options.deadlineMilliseconds = 50
                } else {
                    options.stallMilliseconds = 50
                }
                let error = await failure { () throws(HTTPClientError) in
                    try await client.send(plain, to: HTTPOrigin(server.address), options: options)
                }
                #expect(error == .timedOut)
            }
            #expect(await eventually { client.connectionCount == 0 })
        }
    }

    @Test func `an exchange that waits for a connection in vain times out`() async throws {
        let arrived = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            arrived.give()
            await peer.waitForEnd()
        } _: { server in
            var configuration = HTTPClientConfiguration()
            configuration.connectionsPerOrigin = 1
            let client = try HTTPClient(configuration)
            await expectTimeout(of: client, at: HTTPOrigin(server.address), once: arrived)
        }
    }
}

/// While a first exchange occupies the client, a second one times out; then the client is stopped.
///
/// - Parameter arrived: Given when the server has the first request.
func expectTimeout(of client: HTTPClient, at origin: HTTPOrigin, once arrived: Signal) async {
    async let first = failure { () throws(HTTPClientError) in
        try await client.send(plain, to: origin, options: patient)
    }
    await arrived.wait()
    var options = ExchangeOptions()
    options.deadlineMilliseconds = 50
    let second = await failure { [options] () throws(HTTPClientError) in
        try await client.send(plain, to: origin, options: options)
    }
    #expect(second == .timedOut)
    client.stop()
    #expect(await first == .stopped)
}
