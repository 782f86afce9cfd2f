import ArticleAPI

/// The order of two histories, in which revisions may not be comparable.
///
/// A backend that was restored from a backup counts again from an earlier revision, and then gives
/// the same numbers to other content. Where revisions and times contradict each other for longer
/// than a request can take, they are of different histories, and the time decides.
enum HistoryOrder {
    case same
    /// The response is of a later history than the known facts.
    case later
    /// The response is of an earlier history than the known facts.
    case earlier

    /// Longer than the time from a request to the processing of its response, in milliseconds.
    static let limitRequestMilliseconds: Int64 = 300_000

    /// - Parameters:
    ///   - known: the known facts of a model.
    ///   - news: the facts in a response.
    ///   - isAnew: true if the response is of a new history.
    ///   - resetAt: the time at which the last new history became known.
    init<Model>(
        _ known: ModelFacts<Model>, _ updates: ModelFacts<Model>, isRestart: Bool,
        _ resetAt: Timestamp?
    ) {
        guard let first = known.origin(of: "version"), let second = updates.origin(of: "version"),
            known.value(of: "version") != updates.value(of: "version")
        else {
            self = .same
            return
        }
        let isLater = first.seenAt < second.seenAt
        guard first.revision != second.revision else {
            self = isLater ? .later : .earlier
            return
        }
        guard isLater != (first.revision < second.revision) else {
            self = .same
            return
        }
        let times = [first.seenAt, second.seenAt].sorted()
        let isReset = resetAt.map { times[0] < $0 && $0 <= times[1] } ?? false
        let isFar = times[1].milliseconds - times[0].milliseconds > Self.limitRequestMilliseconds
        guard isReset || isFar || isLater && isRestart else {
            self = .same
            return
        }
        self = isLater ? .later : .earlier
    }
}
