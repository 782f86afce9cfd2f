import Dispatch
import HTTPServer

/// Tells a supervisor at half its interval that all is well, as long as every event loop comes to
/// new work: one that hangs lets the supervisor start the server anew.
struct Watchdog {
    private let timer: any DispatchSourceTimer

    /// - Returns: `nil` if the supervisor does not want to hear anything.
    /// - Parameter server: whose loops have to answer.
    init?(_ supervisor: Supervisor, _ server: HTTPServer) {
        guard supervisor.isThere, let interval = supervisor.watchdogMicroseconds else {
            return nil
        }
        timer = DispatchSource.makeTimerSource(
            queue: DispatchQueue(label: "broadsheet.watchdog"))
        timer.schedule(deadline: .now(), repeating: .microseconds(Int(interval / 2)))
        timer.setEventHandler {
            server.whenResponsive { supervisor.isAlive() }
        }
        timer.activate()
    }

    func stop() { timer.cancel() }
}
