import HTTP
import Sockets

extension Connection {
    /// A cached response, and the reader that it is for.
    struct Ready {
        let prepared: PreparedResponse
        /// `nil` for an anonymous client.
        let reader: PublicReader?
    }

    /// The cached response to this request. A request with credentials gets it if they were not
    /// exposed on the way, are valid, and grant no more than anonymous access.
    func preparedResponse(to head: borrowing RequestHead) -> Ready? {
        guard let cache = rules.cache else { return nil }
        guard head.fields.contains(.authorization) else {
            return cache.answer(to: head).map { Ready(prepared: $0, reader: nil) }
        }
        guard let reader = reader(of: head.fields), let prepared = cache.answer(to: head) else {
            return nil
        }
        guard prepared.publicWord != nil else {
            cache.takeBack(head)
            return nil
        }
        return Ready(prepared: prepared, reader: reader)
    }

    private func reader(of fields: borrowing HTTPFields) -> PublicReader? {
        guard let readers = rules.readers else { return nil }
        if client.isTrusted { findClient(fields) }
        guard isConfidential(fields) else { return nil }
        return fields.withOnlyBytes(of: .authorization) { readers.reader(of: $0) } ?? nil
    }
}
