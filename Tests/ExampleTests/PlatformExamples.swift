import BroadsheetPlatform
import Testing

/// The examples in the documentation of BroadsheetPlatform.
@Suite struct PlatformExamples {
    @Test func `clocks can be replaced`() {
        var system = SystemEnvironment.real
        system.wallNanoseconds = { 1_800_000_000_000_000_000 }
        #expect(system.wallNanoseconds() == 1_800_000_000_000_000_000)
        #expect(system.randomBytes(32) != system.randomBytes(32))
        #expect(system.randomBytes(9).count == 9)
    }
}
