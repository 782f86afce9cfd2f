import HTTPServer

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The standard streams of a server. That nobody reads them keeps nothing waiting.
struct ServerOutput: Sendable {
    /// What the server logs.
    let errors: LogWriter
    /// Where it listens.
    let announcements: LogWriter

    init(_ style: ServeConfiguration.LogStyle) {
        let format: AccessLog.Format = style.isJSON ? .json : .text
        errors = LogWriter(descriptor: STDERR_FILENO, format: format)
        announcements = LogWriter(
            descriptor: STDOUT_FILENO, format: .text, limitBytes: 64 << 10)
    }

    /// Waits until everything is written, but no longer than this for each stream.
    func flush(withinSeconds seconds: Double) {
        announcements.flush(withinSeconds: seconds)
        errors.flush(withinSeconds: seconds)
    }
}
