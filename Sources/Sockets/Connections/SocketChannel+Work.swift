/// Work that the channel's task does before it can send a response.
extension SocketChannel {
    /// Starts work, by default without a deadline; `onOverrun` is called if it is not finished by
    /// then. `onBreak` is called if the peer disconnects before that, or already has.
    public func beginWork(until deadline: Int64 = .max) {
        isWorking = true
        workDeadline = deadline
        arm()
        if isBroken { onBreak?(self) }
    }

    public func endWork() {
        isWorking = false
        workDeadline = .max
    }

    /// Called by the loop when the peer has disconnected.
    func noteBreak() {
        isBroken = true
        if isWorking { onBreak?(self) }
    }
}
