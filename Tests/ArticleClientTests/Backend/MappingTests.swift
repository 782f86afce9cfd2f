import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@Suite struct MappingTests {
    /// A response of so many bytes.
    private static func response(_ bytes: Int) -> HTTPResponse {
        let tag = #"{"key":"a","name":"A","articleCount":1}"#
        let items = repeatElement(tag, count: bytes / tag.utf8.count + 1).joined(separator: ",")
        return HTTPResponse(
            .ok, fields: [.contentType: "application/json"],
            body: .bytes(Array(#"{"items":[\#(items)]}"#.utf8)))
    }

    @MainActor @Test func `a long response is mapped off the main actor`() async throws {
        let isFree = Lock<Bool?>(nil)
        let backend = TestBackend { _, _ in Self.response(1 << 20) }
        let service = backend.service(
            cache: nil,
            observers: [
                { event in
                    guard case .mapped = event.kind else { return }
                    // On the main actor, this would wait for itself.
                    let reached = DispatchSemaphore(value: 0)
                    Task { @MainActor in reached.signal() }
                    let end = DispatchTime.now() + .seconds(Patience.seconds)
                    isFree.withLock { $0 = reached.wait(timeout: end) == .success }
                }
            ])
        let page = try await service.send(FetchTagsRequest())
        // And the caller is where it was.
        MainActor.assertIsolated()
        #expect(page.items.count > 20_000)
        #expect(isFree.withLock { $0 } == true)
    }
}
