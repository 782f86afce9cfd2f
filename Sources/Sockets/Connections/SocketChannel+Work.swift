/// Work that the channel's task does before it has something to send.
extension SocketChannel {
    /// Begins work that has to be over at the deadline; otherwise `onOverrun` is called. If the
    /// peer goes before that, or has gone, `onBreak` is.
    public func beginWork(until deadline: Int64) {
        workDeadline = deadline
        arm()
        if isBroken { onBreak?(self) }
    }

    public func endWork() { workDeadline = .max }

    /// Told by the loop: the peer has gone.
    func noteBreak() {
        isBroken = true
        if workDeadline != .max { onBreak?(self) }
    }
}
