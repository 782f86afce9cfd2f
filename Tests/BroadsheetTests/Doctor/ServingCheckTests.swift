import Testing

@testable import broadsheet

@Suite struct ServingExamTests {
    @Test func `what to do follows from why a certificate cannot be served`() {
        let locked = CommandFailure(.noPermission, "cannot read a.key: Permission denied")
        #expect(ServingCheck.advice(locked).contains("let the user who serves read it"))
        for status in [ExitStatus.noInput, .configuration, .dataError] {
            let advice = ServingCheck.advice(CommandFailure(status, "a.key: is no key"))
            #expect(advice.contains("put the certificate"))
        }
    }
}
