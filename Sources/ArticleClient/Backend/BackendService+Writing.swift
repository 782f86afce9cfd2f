/// Exchanges that nobody shares.
extension BackendService {
    /// Sends a write. Cached responses and exchanges from before it may be stale, even if it is
    /// unknown whether the write was carried out.
    func written(_ call: Call) async -> Result<CallResponse, BackendError> {
        let outcome = await alone(call) {
            defer { forgetCopies() }
            return await exchanged(call).map(CallResponse.init)
        }
        forgetCopies()
        return outcome
    }

    private func forgetCopies() {
        cache?.expireAll()
        calls.seal()
    }

    /// The outcome of an unshared exchange, which ends when its caller stops waiting.
    func alone<Value: Sendable>(
        _ call: Call, _ work: @escaping @Sendable () async -> Result<Value, BackendError>
    ) async -> Result<Value, BackendError> {
        let flight = SharedTask<Value>(deadline: call.waitLimit.deadline)
        return await network.waiting { executor in
            flight.start(on: executor, work)
            return await flight.join(call.waitLimit) ?? .failure(.cancelled)
        }
    }
}
