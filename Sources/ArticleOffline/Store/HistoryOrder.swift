import ArticleAPI
import ArticleModels

/// Whether revisions can be compared.
///
/// A backend that was restored from a backup counts anew from an earlier revision, and then gives
/// the same numbers to other content. Where revisions and times contradict each other for longer
/// than a request can take, they are of different histories, and the time decides.
enum HistoryOrder {
    case same
    /// The response is of a later history than what is known.
    case later
    /// The response is of an earlier history than what is known.
    case earlier

    /// Longer than the time from a request to the processing of its response, in milliseconds.
    static let longestRequest: Int64 = 300_000

    /// - Parameters:
    ///   - known: what is known of a model.
    ///   - news: what a response says of it.
    ///   - isAnew: whether the response is of a new history.
    ///   - resetAt: when the last new history became known.
    init<Model>(
        _ known: ModelFacts<Model>, _ news: ModelFacts<Model>, isAnew: Bool, _ resetAt: Timestamp?
    ) {
        let versions = (known.value(of: "version"), news.value(of: "version"))
        guard !versions.0.isEmpty, !versions.1.isEmpty, versions.0 != versions.1 else {
            self = .same
            return
        }
        let isLater = known.seenAt < news.seenAt
        guard known.revision != news.revision else {
            self = isLater ? .later : .earlier
            return
        }
        guard isLater != (known.revision < news.revision) else {
            self = .same
            return
        }
        let (first, last) = isLater ? (known.seenAt, news.seenAt) : (news.seenAt, known.seenAt)
        let isReset = resetAt.map { first < $0 && $0 <= last } ?? false
        let isFar = last.milliseconds - first.milliseconds > Self.longestRequest
        guard isReset || isFar || isLater && isAnew else {
            self = .same
            return
        }
        self = isLater ? .later : .earlier
    }
}
