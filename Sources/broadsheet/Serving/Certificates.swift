import ArticleAPI
import Dispatch
import Network

/// Keeps the certificates that a server shows as its files have them: read again when
/// asked, and a moment after the files change. What is broken or expired is not taken, and the old
/// ones stay.
final class Certificates: Sendable {
    let server: TLSServer
    private let files: CertificateFiles
    private let log: ServerLog
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "broadsheet.certificates")
    private let timer = Lock<(any DispatchSourceTimer)?>(nil)

    private struct State {
        /// Of the files as they were read last, taken or not.
        var read: [CertificateFiles.Stamp?]
        /// Of the files as they were seen last.
        var seen: [CertificateFiles.Stamp?]
    }

    /// How often the files are looked at.
    private static let intervalSeconds = 2.0
    static let warningDays: Int64 = 14

    /// Reads the files.
    init(
        _ files: CertificateFiles, profile: TLSProfile, _ log: ServerLog
    ) throws(CommandFailure) {
        self.files = files
        self.log = log
        // Before they are read: what changes meanwhile is seen as a change.
        let stamps = files.stamps()
        state = Lock(State(read: stamps, seen: stamps))
        let pairs = try files.read()
        do throws(TLSConfigurationError) {
            server = try TLSServer(pairs, profile: profile, protocols: ["http/1.1"])
        } catch { throw files.failure(error) }
        warnOfDates()
    }

    /// Begins to watch.
    func start() {
        timer.withLock { timer in
            let new = DispatchSource.makeTimerSource(queue: queue)
            new.schedule(
                deadline: .now() + Self.intervalSeconds, repeating: Self.intervalSeconds)
            new.setEventHandler { [weak self] in self?.look() }
            new.activate()
            timer = new
        }
    }

    func stop() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    /// Reads the files if they have changed, and no longer change: a certificate and its key come
    /// one after the other.
    func look() {
        let stamps = files.stamps()
        let isDue = state.withLock { state in
            defer { state.seen = stamps }
            return stamps == state.seen && stamps != state.read
        }
        if isDue { reload() }
    }

    /// Reads the files now.
    func reload() {
        let stamps = files.stamps()
        state.withLock { $0 = State(read: stamps, seen: stamps) }
        do throws(CommandFailure) {
            let pairs = try files.read()
            try refuseExpired(pairs)
            do throws(TLSConfigurationError) {
                try server.replace(pairs)
            } catch { throw files.failure(error) }
            log.info("took the new certificates")
            warnOfDates()
        } catch {
            log.error("the old certificates stay: \(error.message)")
        }
    }

    /// Old certificates in place of what they should replace: a mistake.
    private func refuseExpired(_ pairs: [TLSPair]) throws(CommandFailure) {
        let validity: [ClosedRange<Int64>]
        do throws(TLSConfigurationError) {
            validity = try TLSServer(pairs, protocols: []).validity
        } catch { throw files.failure(error) }
        let now = Timestamp.now.milliseconds / 1_000
        for (dates, paths) in zip(validity, files.paths) where dates.upperBound < now {
            throw CommandFailure(.configuration, "\(paths.certificate): has expired")
        }
    }

    private func warnOfDates() {
        let now = Timestamp.now.milliseconds / 1_000
        for (dates, paths) in zip(server.validity, files.paths) {
            if now < dates.lowerBound {
                log.warning("\(paths.certificate): is not valid yet")
            } else if dates.upperBound < now {
                log.warning("\(paths.certificate): has expired")
            } else if dates.upperBound - now < Self.warningDays * 86_400 {
                let days = (dates.upperBound - now) / 86_400
                log.warning("\(paths.certificate): expires in \(days) days")
            }
        }
    }
}
