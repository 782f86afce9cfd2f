// Apple's declaration contains no more than this.
public class DispatchQueue: @unchecked Sendable {
    public init(label: String) {}
    public class func global() -> DispatchQueue { DispatchQueue(label: "") }
    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
    public func async(execute workItem: DispatchWorkItem) {}
    public func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {}
    public func asyncAfter(
        deadline: DispatchTime, execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
}

public class DispatchWorkItem {
    public init(block: @escaping @convention(block) () -> Void) {}
    public func cancel() {}
}

// Apple's is documented so.
public class DispatchSemaphore: @unchecked Sendable {
    public init(value: Int) {}
    public func wait() {}
    @discardableResult
    public func signal() -> Int { 0 }
}

public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int)
    case milliseconds(Int)
    case microseconds(Int)
    case nanoseconds(Int)
    case never
}

public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { DispatchTime() }
    public static func < (left: DispatchTime, right: DispatchTime) -> Bool { false }
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
