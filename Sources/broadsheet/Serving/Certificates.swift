import ArticleAPI
import Dispatch
import Sockets

/// Keeps the certificates that a server shows as its files have them: read again when
/// asked, and a moment after the files change. What is broken or a step back is not taken, and the
/// old ones stay.
final class Certificates: Sendable {
    let server: TLSServer
    private let files: CertificateFiles
    private let log: ServerLog
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "broadsheet.certificates")
    private let timer = Lock<(any DispatchSourceTimer)?>(nil)

    private struct State {
        /// Of the files as they were read last, taken or not.
        var read: [CertificateFiles.Stamp?]
        /// Of the files as they were seen last.
        var seen: [CertificateFiles.Stamp?]
        /// When the dates were told last.
        var warnedAt: Int64 = 0
    }

    /// How often the files are looked at.
    private static let intervalSeconds = 2.0
    static let warningDays: Int64 = 14
    private static let secondsOfDay: Int64 = 86_400

    /// Reads the files.
    init(
        _ files: CertificateFiles, profile: TLSProfile, _ log: ServerLog,
        now: @escaping @Sendable () -> Int64 = { Timestamp.now.milliseconds / 1_000 }
    ) throws(CommandFailure) {
        self.files = files
        self.log = log
        self.now = now
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
    /// one after the other. Once a day it warns of dates.
    func look() {
        let stamps = files.stamps()
        let now = now()
        let (isDue, isNewDay) = state.withLock { state in
            defer { state.seen = stamps }
            return (
                stamps == state.seen && stamps != state.read,
                // The clock may be set back, too.
                !(0..<Self.secondsOfDay).contains(now - state.warnedAt)
            )
        }
        if isDue {
            reload()
        } else if isNewDay {
            warnOfDates()
        }
    }

    /// Reads the files now.
    func reload() {
        let stamps = files.stamps()
        state.withLock { state in
            state.read = stamps
            state.seen = stamps
        }
        do throws(CommandFailure) {
            let pairs = try files.read()
            try refuseStepsBack(pairs)
            do throws(TLSConfigurationError) {
                try server.replace(pairs)
            } catch { throw files.failure(error) }
            log.info("took the new certificates")
            warnOfDates()
        } catch {
            log.error("the old certificates stay: \(error.message)")
        }
    }

    /// An expired certificate in the place of another one is a mistake. One that is served already
    /// is none: it must not keep the others from being renewed.
    private func refuseStepsBack(_ pairs: [CertificateAndKey]) throws(CommandFailure) {
        let next: TLSServer
        do throws(TLSConfigurationError) {
            next = try TLSServer(pairs, protocols: [])
        } catch { throw files.failure(error) }
        let now = now()
        for ((new, old), paths) in zip(zip(next.certificates, server.certificates), files.paths)
        where new != old && new.validity.upperBound < now {
            throw CommandFailure(.configuration, "\(paths.certificate): has expired")
        }
    }

    private func warnOfDates() {
        let now = now()
        state.withLock { $0.warnedAt = now }
        for (certificate, paths) in zip(server.certificates, files.paths) {
            let dates = certificate.validity
            if now < dates.lowerBound {
                log.warning("\(paths.certificate): is not valid yet")
            } else if dates.upperBound < now {
                log.warning("\(paths.certificate): has expired")
            } else if dates.upperBound - now < Self.warningDays * Self.secondsOfDay {
                let days = (dates.upperBound - now) / Self.secondsOfDay
                log.warning("\(paths.certificate): expires in \(days) days")
            }
        }
    }
}
