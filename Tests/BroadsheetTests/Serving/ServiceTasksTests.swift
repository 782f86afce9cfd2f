import BroadsheetTestSupport
import Testing

@testable import broadsheet

@Suite struct ServiceTasksTests {
    @Test func `tasks are cancelled, and those that do not end are named`() async {
        let tasks = ServiceTasks()
        let (isKept, goesOn) = (Signal(), Signal())
        tasks.start("kind") { while !Task.isCancelled { await Task.yield() } }
        tasks.start("stubborn") { await goesOn.wait() }
        tasks.start("kept") {
            while !Task.isCancelled { await Task.yield() }
            isKept.give()
        }
        #expect(await tasks.end(withinSeconds: 3_600, but: ["kept", "stubborn"]) == [])
        #expect(await tasks.end(withinSeconds: 0.01, but: ["kept"]) == ["stubborn"])
        #expect(!isKept.isGiven)
        #expect(await tasks.end(withinSeconds: 3_600) == [])
        #expect(isKept.isGiven)
        goesOn.give()
    }
}
