import HTTPServer

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The standard streams of a server, which never block it if nobody reads them.
struct ServerOutput: Sendable {
    /// Standard error, for the log.
    let errors: LogWriter
    /// Standard output, for the addresses that the server listens on.
    let announcements: LogWriter

    init(_ style: ServeConfiguration.LogStyle) {
        let format: AccessLog.Format = style.isJSON ? .json : .text
        errors = LogWriter(descriptor: STDERR_FILENO, format: format)
        announcements = LogWriter(
            descriptor: STDOUT_FILENO, format: .text, limitBytes: 64 << 10)
    }

    /// Waits until everything is written, at most for the given time per stream.
    func flush(withinSeconds seconds: Double) {
        announcements.flush(withinSeconds: seconds)
        errors.flush(withinSeconds: seconds)
    }
}
