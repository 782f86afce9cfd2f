import BroadsheetTestSupport
import Testing

/// A client that is generated from the description of our own API, run against a server.
@Suite(.mayBlock) struct GeneratedClientTests {
    @Test func `a generated client writes, reads and understands errors`() throws {
        let folder = try TemporaryFolder()
        let served = try RunningServer(folder.file("a.db"))
        let client = try RunningProgram(
            builtProgram("broadsheet-generated-client"),
            ["http://\(served.addresses[0])", RunningServer.adminKey])
        let lines = client.output.rest()
        let errors = client.errors.rest()
        #expect(client.wait() == 0, "\(errors)")
        #expect(
            lines == [
                "created: Rye bread (201)", #"fetched: ["baking"]"#, #"listed: ["Rye bread"]"#,
                "titles: 1", "updated: Sourdough, revision 2", "rejected: preconditionFailed",
                #"invalid: ["is empty"]"#, "deleted: 404",
            ])
    }
}
