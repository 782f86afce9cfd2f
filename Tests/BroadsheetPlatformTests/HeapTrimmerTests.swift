import BroadsheetPlatform
import Testing

@Suite struct HeapTrimmerTests {
    @Test func `checks for free memory take at most a thousandth of the time`() {
        #expect(HeapTrimmer.pause(after: .microseconds(10)) == .seconds(2))
        #expect(HeapTrimmer.pause(after: .milliseconds(4)) == .seconds(4))
        #expect(HeapTrimmer.pause(after: .milliseconds(77)) == .seconds(77))
        #expect(HeapTrimmer.pause(after: .seconds(1)) == .seconds(120))
    }

    @Test func `the process's memory can be read`() throws {
        let memory = try #require(ProcessMemory())
        #expect(memory.residentBytes > 0)
        #expect(memory.virtualBytes >= memory.residentBytes)
    }
}
