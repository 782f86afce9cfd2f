import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// The limits of long requests, which apply to the control socket and the network together.
@Suite struct AdminBoundsTests {
    /// A file whose copies end when the test says so.
    private struct SlowFile: StoreMaintenance {
        let path: String
        let started = Signal()
        let end = Signal()

        func beginHistory() async throws(StoreError) {}

        func check() async throws(StoreError) -> CheckReport { throw .busy }

        func vacuum(_ progress: VacuumProgress) async throws(StoreError) -> VacuumProgress {
            throw .busy
        }

        func rewrite() async throws(StoreError) { throw .busy }

        func copy(into path: String) throws(StoreError) -> any StoreCopy { Copy(file: self) }

        private struct Copy: StoreCopy {
            let file: SlowFile

            func make(
                progress: @escaping @Sendable (CopyProgress) -> Void
            ) async throws(StoreError) {
                progress(CopyProgress(pages: 1, total: 4))
                file.started.give()
                await file.end.wait()
            }
        }
    }

    @Test func `only one backup runs at a time, from whichever client`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let file = SlowFile(path: store.path)
        let key = String(repeating: "k", count: 40)
        let backend = try await Backend(
            store: store, file: file, operatorKey: OperatorKey(key),
            system: .clock { TestBackend.opening },
            log: { _ in })
        try await TestServer.run(backend.controlRouter()) { control in
            try await backend.run { everybody in
                let fields: HTTPFields = [.authorization: "Bearer \(key)"]
                let first = try RawConnection(control.address)
                try first.send("POST /v1/admin/backups HTTP/1.1\r\nHost: localhost\r\n\r\n")
                await file.started.wait()
                let second = try everybody.client.send(
                    .post, "/v1/admin/backups", fields: fields)
                #expect(second.status == 422)
                #expect(second.text.contains("another backup is in progress"))
                let progress = try everybody.client.send(
                    .get, "/v1/admin/backups/current", fields: fields)
                #expect(progress.text == #"{"pages":1,"total":4}"#)
                file.end.give()
                #expect(try first.response(to: .post).status == 200)
                let next = try everybody.client.send(.post, "/v1/admin/backups", fields: fields)
                #expect(next.status == 200)
            }
        }
        await store.close()
    }

    @Test func `files that wait for slow clients are limited, until they are read`() async throws {
        let folder = try TemporaryFolder()
        let spool = Spool(beside: folder.file("store.db"))
        var files = try (0..<Spool.limitFiles).map { _ in try spool.file() }
        func isFull() -> Bool {
            do { _ = try spool.file() } catch ServiceError.busy { return true } catch {}
            return false
        }
        let isRead = Signal()
        #expect(isFull())
        files.removeLast()
        #expect(!isFull())
        // A file that cannot be opened does not count.
        for _ in 0...Spool.limitFiles {
            #expect(throws: TestFailure.self) { try spool.file { _ in throw TestFailure("no") } }
        }
        #expect(!isFull())
        #expect(files.count == Spool.limitFiles - 1)
        // Neither does one whose last byte was read, even if that has not been sent.
        let last = try spool.file(closed: { isRead.give() })
        #expect(isFull() && !isRead.isGiven)
        let text = Array("A shopping list.".utf8)
        try FileSystem.write(text, to: last.descriptor)
        let response = try last.response("text/plain")
        guard case .stream(let body) = response.body else { throw TestFailure("not streamed") }
        #expect(try await body.next() == text)
        #expect(isRead.isGiven && !isFull())
        #expect(try await body.next() == nil)
        withExtendedLifetime(last) {}
    }
}
