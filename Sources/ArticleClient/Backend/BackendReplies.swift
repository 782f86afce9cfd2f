public import ArticleAPI

/// What is known of an item, sooner and better: the copy first, then what the backend says.
///
/// ```swift
/// let request = FetchArticleRequest(key: .slug("your-first-request"))
/// for try await reply in backend.replies(to: request) {
///     print("\(reply.item.title) (\(reply.source))")
/// }
/// ```
///
/// The sequence gives one reply or two. It throws what went wrong with the second: the screen has
/// the copy then, if there is one. Leaving the loop, or cancelling its task, ends the request.
public struct BackendReplies<Request: BackendAPIRequest>: AsyncSequence, Sendable {
    public typealias Element = BackendReply<Request.Item>
    public typealias Failure = BackendError

    fileprivate let service: BackendService
    fileprivate let request: Request
    fileprivate let options: RequestOptions

    public func makeAsyncIterator() -> Iterator { Iterator(replies: self) }

    public struct Iterator: AsyncIteratorProtocol {
        private enum Next {
            case copy
            case reply
            case nothing
        }

        fileprivate let replies: BackendReplies
        private var next = Next.copy

        fileprivate init(replies: BackendReplies) { self.replies = replies }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(BackendError) -> BackendReply<Request.Item>? {
            var options = replies.options
            if next == .copy {
                next = .reply
                options.freshness = .cached
                do throws(BackendError) {
                    return try await replies.service.reply(to: replies.request, options: options)
                } catch {
                    // A copy that cannot be read is none: the backend is asked.
                    if error.isStopped { throw error }
                }
            }
            guard next == .reply else { return nil }
            next = .nothing
            options.freshness =
                replies.options.freshness == .cached
                ? .revalidated : replies.options.freshness
            return try await replies.service.reply(to: replies.request, options: options)
        }
    }
}

extension BackendService {
    /// The kept copy of an answer at once, if there is one, and then the backend's reply.
    ///
    /// - Parameters:
    ///   - request: what is asked for.
    ///   - options: of the second reply; the first never asks the network.
    public func replies<Request: BackendAPIRequest>(
        to request: Request, options: RequestOptions = .init()
    ) -> BackendReplies<Request> {
        BackendReplies(service: self, request: request, options: options)
    }
}
