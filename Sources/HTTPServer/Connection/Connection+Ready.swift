import HTTP
import Sockets

extension Connection {
    /// An answer that is kept, and whose request it is for.
    struct Ready {
        let answer: PreparedResponse
        /// `nil`: of somebody without credentials.
        let reader: PublicReader?
    }

    /// The answer that is kept for this request. One with credentials gets it if these could not be
    /// read on the way, are good, and show no more than everybody sees.
    func readyAnswer(to head: borrowing RequestHead) -> Ready? {
        guard let cache = rules.router.cache else { return nil }
        guard head.fields.contains(.authorization) else {
            return cache.answer(to: head).map { Ready(answer: $0, reader: nil) }
        }
        guard let reader = reader(of: head.fields), let answer = cache.answer(to: head) else {
            return nil
        }
        guard answer.publicWord != nil else {
            cache.takeBack(head)
            return nil
        }
        return Ready(answer: answer, reader: reader)
    }

    private func reader(of fields: borrowing HTTPFields) -> PublicReader? {
        guard let readers = rules.router.readers else { return nil }
        if client.isTrusted { findClient(fields) }
        guard isConfidential(fields) else { return nil }
        return fields.withOnlyBytes(of: .authorization) { readers.reader(of: $0) } ?? nil
    }
}
