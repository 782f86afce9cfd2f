import BroadsheetCommandLine
import Testing

@testable import broadsheet

@Suite struct ServingCheckTests {
    @Test func `advice depends on why a certificate cannot be served`() {
        let locked = CommandFailure(.noPermission, "cannot read a.key: Permission denied")
        #expect(ServingCheck.advice(locked).contains("let the user who runs the server read it"))
        for status in [ExitStatus.noInput, .configuration, .dataError] {
            let advice = ServingCheck.advice(CommandFailure(status, "a.key: is not a key"))
            #expect(advice.contains("put the certificate"))
        }
    }
}
