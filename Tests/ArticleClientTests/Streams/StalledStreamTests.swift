import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Bodies that stand still. Time passes when they do, and only then.
@Suite struct StalledStreamTests {
    private let time = TestTime()

    /// Gives one piece, and nothing more until the signal, while 50 ms pass.
    private func backend(_ status: HTTPStatus, until never: Signal) -> TestBackend {
        TestBackend { [time] _, _ in
            let pieces = Counter()
            return HTTPResponse(
                status,
                body: .stream(
                    HTTPBodyStream(length: 1_000) {
                        if pieces.next() == 0 { return Array("data: 1\n\n".utf8) }
                        time.advance(by: .milliseconds(50))
                        await withTaskCancellationHandler {
                            await never.wait()
                        } onCancel: {
                            never.give()
                        }
                        return nil
                    }))
        }
    }

    @Test func `a stalled stream ends with a timeout`() async throws {
        let never = Signal()
        let service = backend(.ok, until: never).service(cache: nil, time: time)
        let options = RequestOptions(streamStallTimeout: .milliseconds(50))
        let stream = try await service.stream(list, options: options)
        #expect(stream.length == 1_000)
        var events: [String] = []
        let error = await outcome {
            for try await event in ServerSentEvents(stream) { events.append(event.data) }
        }.error
        #expect(error == .timedOut && events == ["1"])
        // And so does what it was read from.
        await never.wait()
    }

    @Test func `a stream ends with the session of its request`() async throws {
        let (asked, never) = (Signal(), Signal())
        let backend = TestBackend { _, _ in
            HTTPResponse(
                .ok,
                body: .stream(
                    HTTPBodyStream {
                        asked.give()
                        await withTaskCancellationHandler {
                            await never.wait()
                        } onCancel: {
                            never.give()
                        }
                        return nil
                    }))
        }
        let auth = BackendAuth(token: "a")
        let stream = try await backend.service(auth: auth, cache: nil).stream(list)
        async let ended = outcome { for try await _ in stream {} }.error
        await asked.wait()
        try auth.signIn(Credentials(token: "b"))
        #expect(await ended == .signedOut)
        // And so does what it was read from.
        await never.wait()
        let late = await outcome { for try await _ in stream {} }.error
        #expect(late == .signedOut)
    }

    @Test func `a stream without stalls is unchanged`() async throws {
        let backend = TestBackend { _, _ in
            let pieces = Counter()
            return HTTPResponse(
                .ok,
                body: .stream(
                    HTTPBodyStream {
                        let piece = pieces.next()
                        return piece < 100 ? [UInt8(piece)] : nil
                    }))
        }
        let options = RequestOptions(streamStallTimeout: .seconds(600))
        let stream = try await backend.service().stream(list, options: options)
        var bytes: [UInt8] = []
        for try await piece in stream { bytes += piece }
        #expect(bytes == Array(0..<100))
    }

    @Test func `the body of a rejected stream is read within the deadline`() async throws {
        let never = Signal()
        let service = backend(.forbidden, until: never).service(cache: nil, time: time)
        let options = RequestOptions(timeout: .milliseconds(50))
        let error = await outcome { try await service.stream(list, options: options) }.error
        #expect(error == .timedOut)
        await never.wait()
    }
}
