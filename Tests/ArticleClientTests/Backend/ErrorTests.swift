import ArticleAPI
import ArticleClient
import Testing

@Suite struct ErrorTests {
    private static let all: [BackendError] = [
        .transport(TransportFailure(.disconnected, "the connection ended")),
        .transport(TransportFailure(.insecure, "no authority")),
        .transport(TransportFailure(.malformed, "no status line")),
        .transport(TransportFailure(.overloaded, "the queue is full")),
        .transport(TransportFailure(.tooLarge, "more than 16 MiB")),
        .transport(TransportFailure(.credentials, "in the clear")),
        .problem(Problem(.slugTaken, detail: "The slug is taken.")), .problem(Problem(.notFound)),
        .problem(Problem(.internalError, detail: "SQLITE_CORRUPT")),
        .problem(Problem(.tooManyRequests)), .problem(Problem(.requestInFlight)),
        .problem(Problem(.unavailable)), .problem(Problem(.preconditionFailed)),
        .transport(TransportFailure(.foreign, "403 with text/html")),
        .unauthorized(Problem(.unauthenticated)),
        .mapping(.missingAttribute(name: "id", path: "$.id")), .cancelled, .superseded, .timedOut,
        .offline("cannot connect to 127.0.0.1:1"), .notCached, .signedOut,
    ]

    @Test func `every error has a sentence for users`() {
        for error in Self.all {
            let text = error.localizedDescription
            #expect(text == error.errorDescription)
            #expect(text.first?.isUppercase == true && text.last == ".", "\(text)")
        }
        #expect(BackendError.offline("x").localizedDescription == "The server cannot be reached.")
        #expect(Self.all[6].localizedDescription == "Another article has this address.")
        // A server's inner troubles are nothing for users.
        #expect(Self.all[8].localizedDescription == "The server has a problem.")
    }

    @Test func `errors say what an app can do about them`() {
        func matching(_ isOne: (BackendError) -> Bool) -> [String] {
            Self.all.filter(isOne).map(\.localizedDescription)
        }
        #expect(matching(\.isStopped).count == 3)
        let lasting: [BackendError] = [
            Self.all[5], .problem(Problem(.slugTaken, detail: "The slug is taken.")),
            .problem(Problem(.notFound)), .problem(Problem(.preconditionFailed)),
            .unauthorized(Problem(.unauthenticated)), .cancelled, .superseded, .notCached,
            .signedOut,
        ]
        #expect(Self.all.filter { !$0.allowsStale } == lasting)
        let mismatch = BackendError.mapping(.missingAttribute(name: "id", path: "$.id"))
        #expect(Self.all.filter { $0.isTransient != $0.allowsStale } == [mismatch])
        #expect(matching { $0.problem != nil }.count == 8)
    }

    @Test(arguments: Problem.Kind.allCases)
    func `difficulties of the backend are no verdicts`(kind: Problem.Kind) {
        let passing: Set<Problem.Kind> = [
            .requestTimeout, .tooManyRequests, .requestInFlight, .internalError, .unavailable,
            .storageFull,
        ]
        let error = BackendError.problem(Problem(kind))
        #expect(error.isTransient == passing.contains(kind))
        #expect(error.allowsStale == passing.contains(kind))
    }
}
