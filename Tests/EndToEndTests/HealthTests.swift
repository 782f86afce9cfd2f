import BroadsheetTestSupport
import Testing

@Suite(.mayBlock) struct HealthTests {
    @Test func `only a served database is ready`() throws {
        let folder = try TemporaryFolder()
        let database = folder.file("a.db")
        let before = try Program.run("health", "--database", database)
        #expect(before.status == 69 && before.errors.count == 1)
        let served = try RunningServer(database)
        let ready = try Program.run("health", "--database", database)
        #expect(ready.status == 0 && ready.output == ["ready"])
        #expect(served.stop() == 0)
        #expect(try Program.run("health", "--database", database).status == 69)
    }
}
