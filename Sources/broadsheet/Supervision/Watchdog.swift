import Dispatch
import HTTPServer

/// Sends keep-alives to a supervisor at half its interval, as long as every event loop runs new
/// work. If a loop hangs, the supervisor restarts the server.
struct Watchdog {
    private let timer: any DispatchSourceTimer

    /// - Parameter server: the server whose loops must respond.
    /// - Returns: `nil` if the supervisor expects no keep-alives.
    init?(_ supervisor: Supervisor, _ server: HTTPServer) {
        guard supervisor.isPresent, let interval = supervisor.watchdogMicroseconds else {
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
