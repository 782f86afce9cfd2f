import BroadsheetPlatform

/// Limits the reports to the operator of each kind of trouble, which may last or recur with each
/// connection.
///
/// Safe to use from any thread. It remembers every kind, so there have to be few.
package final class ReportThrottle<Kind: Hashable & Sendable>: Sendable {
    /// The time at which each kind was last reported; monotonic milliseconds.
    private let reports = Lock<[Kind: Int64]>([:])

    package init() {}

    /// Returns true if this kind is to be reported: it has not been in the last `milliseconds`.
    package func isDue(_ kind: Kind, at now: Int64, every milliseconds: Int64 = 60_000) -> Bool {
        reports.withLock { reports in
            if let last = reports[kind], now - last < milliseconds { return false }
            reports[kind] = now
            return true
        }
    }
}
