import Dispatch
import Glibc
import Platform
import Sockets
import TestSupport
import Testing

@Suite struct ListeningSocketTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Leaves a stale socket file.
    private func leaveStale(_ path: String) throws {
        let socket = try ListeningSocket(.unix(path))
        socket.ownFile(false)
        socket.close()
    }

    private func canConnect(_ path: String) -> Bool {
        (try? DescriptorChannel.connect(to: path, timeoutSeconds: Patience.seconds)) != nil
    }

    @Test func `of servers that start concurrently on a stale socket one gets it`() throws {
        let path = folder.file("s.sock")
        for round in 0..<100 {
            try leaveStale(path)
            let opened = Lock<[ListeningSocket]>([])
            let rejected = Lock<[SystemError]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do throws(SystemError) {
                    let socket = try ListeningSocket(.unix(path))
                    opened.withLock { $0.append(socket) }
                } catch { rejected.withLock { $0.append(error) } }
            }
            #expect(opened.withLock { $0.count } == 1, "round \(round)")
            #expect(rejected.withLock { $0.allSatisfy(\.isAddressInUse) })
            #expect(canConnect(path))
            opened.withLock { $0 = [] }
        }
    }

    @Test func `closing keeps another server's file`() throws {
        let path = folder.file("s.sock")
        let first = try ListeningSocket(.unix(path))
        try #require(unlink(path) == 0)
        let second = try ListeningSocket(.unix(path))
        first.close()
        #expect(canConnect(path))
        second.close()
        #expect(access(path, F_OK) != 0)
    }
}
