/// Work that the channel's task does before it can send a response.
extension SocketChannel {
    /// Starts work with a deadline; `onOverrun` is called if it is not finished by then. `onBreak`
    /// is called if the peer disconnects before that, or already has.
    public func beginWork(until deadline: Int64) {
        workDeadline = deadline
        arm()
        if isBroken { onBreak?(self) }
    }

    public func endWork() { workDeadline = .max }

    /// Called by the loop when the peer has disconnected.
    func noteBreak() {
        isBroken = true
        if workDeadline != .max { onBreak?(self) }
    }
}
