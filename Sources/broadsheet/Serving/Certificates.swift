import ArticleAPI
import ArticleOperations
import ArticleServices
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Dispatch
import Glibc

/// Keeps the certificates of a server up to date with their files: reloads them on request, and
/// shortly after the files change. If the new ones are invalid or expired, the server keeps the
/// current ones.
final class Certificates: Sendable {
    let server: TLSServer
    private let files: CertificateFiles
    private let log: ServerLog
    private let system: SystemEnvironment
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "broadsheet.certificates")
    private let polling = Lock<Task<Void, Never>?>(nil)

    private struct State {
        /// The state of the files at the last attempt to load them.
        var read: [CertificateFiles.Stamp?]
        /// The state of the files at the last poll.
        var seen: [CertificateFiles.Stamp?]
        /// The time at which expiry was last checked and logged.
        var warnedAt: Int64 = 0
    }

    /// The interval at which the files are polled.
    private static let interval = Duration.seconds(2)
    static let warningDays: Int64 = 14
    private static let secondsOfDay: Int64 = 86_400

    /// Loads the files.
    init(
        _ files: CertificateFiles, profile: TLSProfile, protocols: [String], _ log: ServerLog,
        _ system: SystemEnvironment
    ) throws(CommandFailure) {
        self.files = files
        self.log = log
        self.system = system
        // Taken before reading, so that a change during the read is detected.
        let stamps = files.stamps()
        state = Lock(State(read: stamps, seen: stamps))
        let pairs = try files.read()
        do throws(TLSConfigurationError) {
            server = try TLSServer(
                pairs, profile: profile, protocols: protocols, system: system)
        } catch { throw files.failure(error) }
        warnAboutExpiry()
    }

    /// The certificates that are served, for admins.
    var shown: [ServerStatistics.Certificate] {
        zip(server.certificates, files.paths).map { certificate, paths in
            let dates = certificate.validity
            return ServerStatistics.Certificate(
                file: paths.certificate.split(separator: "/").last.map(String.init) ?? "",
                notBefore: Timestamp(milliseconds: dates.lowerBound * 1_000),
                notAfter: Timestamp(milliseconds: dates.upperBound * 1_000))
        }
    }

    /// The remaining validity of each certificate, in seconds, by the path of its file; negative
    /// once it has expired.
    var remainingSeconds: [String: Int] {
        let now = now()
        let seconds = zip(files.paths, server.certificates).map {
            ($0.certificate, Int($1.validity.upperBound - now))
        }
        return Dictionary(seconds, uniquingKeysWith: min)
    }

    /// Seconds since 1970.
    private func now() -> Int64 { system.wallNanoseconds() / 1_000_000_000 }

    /// Starts to poll the files.
    func start() {
        let task = UnstructuredTask.start { [weak self, system, queue] in
            while true {
                await system.sleep(Self.interval)
                if Task.isCancelled { return }
                // Reading files may block.
                queue.async { [weak self] in self?.poll() }
            }
        }
        polling.withLock { $0 = task }
    }

    func stop() {
        polling.withLock { $0.take() }?.cancel()
    }

    /// Reloads the files once they have changed and are stable, because a certificate and its key
    /// are not written at the same time. Logs expiry warnings once a day.
    func poll() {
        let stamps = files.stamps()
        let now = now()
        let (isDue, isNewDay) = state.withLock { state in
            defer { state.seen = stamps }
            return (
                stamps == state.seen && stamps != state.read,
                // Also true after the clock was set back.
                !(0..<Self.secondsOfDay).contains(now - state.warnedAt)
            )
        }
        if isDue {
            reload()
        } else if isNewDay {
            warnAboutExpiry()
        }
    }

    /// Reloads the files now.
    func reload() {
        let stamps = files.stamps()
        state.withLock { state in
            state.read = stamps
            state.seen = stamps
        }
        do throws(CommandFailure) {
            let pairs = try files.read()
            try rejectExpired(pairs)
            do throws(TLSConfigurationError) {
                try server.replace(pairs)
            } catch { throw files.failure(error) }
            log.info("loaded the new certificates")
            warnAboutExpiry()
        } catch {
            log.error("keeping the current certificates: \(error.message)")
        }
    }

    /// Rejects an expired certificate that replaces another one. One that is already being served
    /// is accepted: it must not prevent the renewal of the others.
    private func rejectExpired(_ pairs: [CertificateAndKey]) throws(CommandFailure) {
        let next: TLSServer
        do throws(TLSConfigurationError) {
            next = try TLSServer(pairs, protocols: [], system: system)
        } catch { throw files.failure(error) }
        let now = now()
        for ((new, old), paths) in zip(zip(next.certificates, server.certificates), files.paths)
        where new != old && new.validity.upperBound < now {
            throw CommandFailure(.configuration, "\(paths.certificate): has expired")
        }
    }

    private func warnAboutExpiry() {
        let now = now()
        state.withLock { $0.warnedAt = now }
        for (certificate, paths) in zip(server.certificates, files.paths) {
            let dates = certificate.validity
            if now < dates.lowerBound {
                log.warning("\(paths.certificate): not valid yet")
            } else if dates.upperBound < now {
                log.warning("\(paths.certificate): has expired")
            } else if dates.upperBound - now < Self.warningDays * Self.secondsOfDay {
                let days = (dates.upperBound - now) / Self.secondsOfDay
                log.warning("\(paths.certificate): expires in \(days.counted("day"))")
            }
        }
    }
}
