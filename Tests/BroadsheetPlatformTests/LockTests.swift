import BroadsheetPlatform
import Dispatch
import Testing

@Suite struct LockTests {
    @Test func `no update is lost between threads`() {
        let lock = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 40_000)
    }

    @Test func `an error releases the lock and keeps its type`() {
        struct Refused: Error {}
        let lock = Lock(1)
        do throws(Refused) {
            try lock.withLock { (value) throws(Refused) in
                value = 2
                throw Refused()
            }
        } catch {}
        #expect(lock.withLock { $0 } == 2)
    }
}
