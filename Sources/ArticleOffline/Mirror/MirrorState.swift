public import ArticleAPI
public import ArticleClient

extension ArticleMirror {
    /// The activity of a mirror.
    public enum State: Sendable, Hashable {
        /// Nothing is being requested: `run` has not begun, or has ended.
        case idle
        /// The first snapshot is arriving, or a new one where the backend has rejected the token.
        /// The fraction of its articles that has arrived is from 0 to 1; `nil` if that is unknown.
        case initial(fraction: Double?)
        /// The changes since the last page are being requested.
        case catchingUp
        /// The store has everything, and changes arrive as they happen.
        case live
        /// The backend could not be reached, or has rejected a request; the next one is sent then.
        case waiting(until: Timestamp, because: BackendError)
        /// Nothing is requested, for this reason.
        case paused(PauseReason)
        /// The store has no room for the next page. The mirror goes on with `conditionsChanged`.
        case full
    }

    /// The reason why a mirror requests nothing.
    public enum PauseReason: Sendable, Hashable {
        /// The app's closure says ``NetworkPolicy/lowPower``.
        case lowPower
        /// The app's closure says ``NetworkPolicy/constrained``.
        case constrained
        /// The app called `suspend`.
        case suspended
    }
}
