public import ArticleAPI
public import ArticleAdminAPI
import ArticleImportExport

/// A poll that failed. The description contains no path and no query.
public struct SourceNotice: Sendable, Hashable, CustomStringConvertible {
    public let id: ContentSource.ID
    /// The name of the source in articles.
    public let name: String
    public let reason: String
    /// The number of failures since the last success.
    public let failures: Int

    public var description: String {
        "cannot poll the source \(id) (\(name.onOneLine)), attempt \(failures): \(reason)"
    }
}

/// The times at which sources are polled again.
struct SourceSchedule: Sendable {
    /// Seconds between two polls of a healthy source.
    let intervalSeconds: Int
    /// From 0 to 1.
    let random: Double

    static let limitSeconds: Double = 86_400

    /// After a success: the interval, within 5 %, so that sources do not stay in step.
    func next(after time: Timestamp) -> Timestamp {
        time.advanced(bySeconds: Double(intervalSeconds) * (0.95 + 0.1 * random))
    }

    /// After failures: the interval, doubled with each further one up to a day, and up to a quarter
    /// more or less; not before the time that the source asks for.
    func next(
        after time: Timestamp, failures: Int, retryAfterSeconds: Int64?
    ) -> Timestamp {
        let doubled = Double(intervalSeconds) * Double(1 << min(max(failures, 1) - 1, 20))
        let longest = max(Self.limitSeconds, Double(intervalSeconds))
        let spread = min(doubled, longest) * (0.75 + 0.5 * random)
        return time.advanced(
            bySeconds: max(min(spread, longest), Double(retryAfterSeconds ?? 0)))
    }
}

extension Timestamp {
    fileprivate func advanced(bySeconds seconds: Double) -> Timestamp {
        advanced(byMilliseconds: Int64(seconds * 1_000))
    }
}
