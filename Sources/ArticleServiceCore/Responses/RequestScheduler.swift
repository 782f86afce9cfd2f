import ArticleAPI
package import BroadsheetHTTP
package import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Runs requests off the event loops: in a slot on the store's threads, which reads, encodes and
/// hashes in one go.
package struct RequestScheduler: Sendable {
    private let workers: WorkerPool

    package init(workers: WorkerPool) { self.workers = workers }

    /// Does the work in a slot of the caller, and reserves memory for the response until it is
    /// sent.
    package func take<Result>(
        _ cost: RequestCost, for caller: Principal, _ context: RequestContext,
        _ work: (WorkSlot) async throws(ServiceError) -> Result
    ) async throws(ServiceError) -> Result {
        try Self.charge(cost, context)
        return try await take(cost, of: Self.client(caller, context)) {
            (slot) throws(ServiceError) in
            context.scope?.hold(slot)
            return try await work(slot)
        }
    }

    /// Does the work in a slot of the client. The memory is reserved until the slot is released.
    package func take<Result>(
        _ cost: RequestCost, of client: WorkerPool.Client,
        _ work: (WorkSlot) async throws(ServiceError) -> Result
    ) async throws(ServiceError) -> Result {
        let slot: WorkSlot
        do throws(WorkerPool.Full) {
            slot = try workers.slot(
                for: WorkerPool.Demand(client, isHeavy: cost.isHeavy, bytes: cost.bytes))
        } catch { throw .busy }
        return try await withTaskExecutorPreference(slot) { () async throws(ServiceError) in
            // A client that waited too long has already been sent a response.
            guard !slot.isRejected, !Task.isCancelled else { throw .busy }
            return try await work(slot)
        }
    }

    /// Charges the sender's rate limit with the cost of the request beyond that of others.
    package static func charge(_ cost: RequestCost, _ context: RequestContext) throws(ServiceError)
    {
        if let seconds = context.scope?.charge(cost.tokens - 1) {
            throw .overLimit(tokens: cost.tokens, retryAfterSeconds: seconds)
        }
    }

    package static func client(_ caller: Principal, _ context: RequestContext) -> WorkerPool.Client
    {
        switch caller.kind {
        case .anonymous: .init(.anonymous, number: context.clientNumber)
        case .key, .session, .operatorKey, .operatorSession:
            .init(.keyed, number: UInt64(UInt(bitPattern: caller.account.hashValue)))
        case .controlSocket: .init(.house)
        }
    }
}

extension WorkSlot {
    /// Reduces the reservation to the response's size, until it is sent.
    package func accountForOutput(_ response: HTTPResponse) {
        guard case .bytes(let bytes) = response.body else { return accountForOutput(bytes: 0) }
        accountForOutput(bytes: bytes.count)
    }
}
