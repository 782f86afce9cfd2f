import BroadsheetSockets
import Testing

@testable import broadsheet

@Suite struct TakeoverMessageTests {
    static let messages: [TakeoverMessage] = [
        .offer(version: 1, schema: 7), .offer(version: 2, schema: 7), .end, .yours, .serving,
        .ready(process: 4_711, schema: nil), .ready(process: 4_711, schema: 3), .finishing,
        .migrating, .failed("of this and that"),
        .socket(.articles, isActivated: false, .v4([127, 0, 0, 1], port: 0)),
        .socket(.redirect, isActivated: true, .v6([UInt8](repeating: 0, count: 16), port: 80)),
        .socket(.control, isActivated: false, .unix("/a path/of some words.control")),
        .connection(
            .admin, peer: .v4([10, 1, 2, 3], port: 4_000), .v4([127, 0, 0, 1], port: 9_090)),
        .connection(.control, peer: .unix("/x y"), .unix("/x y")),
    ]

    @Test(arguments: messages)
    func `messages are parsed`(message: TakeoverMessage) {
        #expect(TakeoverMessage(message.line) == message)
    }

    @Test(arguments: [
        "", "offer", "offer 3 7", "offer 1 x", "socket articles own", "socket king own 127.0.0.1:1",
        "socket articles own nowhere", "ready", "ready x", "ready 0", "ready 1 x",
        "connection articles 127.0.0.1:1",
        "connection articles nowhere 127.0.0.1:1", "yours truly", "end 1", "failed",
    ])
    func `other lines are not messages`(line: String) {
        #expect(TakeoverMessage(line) == nil)
    }

    @Test func `the outcome of an upgrade is parsed`() {
        for message in [UpgradeMessage.serving(process: 42), .failed("of this and that")] {
            #expect(UpgradeMessage(message.line) == message)
        }
        #expect(UpgradeMessage("serving x") == nil && UpgradeMessage("else 1") == nil)
    }
}
