/// How JSON values become typed ones, and what was wrong with them.
public struct JSONReader: Sendable {
    /// How a reader takes what it does not know.
    public enum Attitude: Sendable, Hashable {
        /// A client's: unknown attributes are ignored, limits are the backend's business.
        case lenient
        /// A backend's: unknown attributes are refused, every limit holds.
        case strict
    }

    public let attitude: Attitude
    /// What was wrong, in the order of the reading; at most `faultLimit`.
    public private(set) var faults: [JSONFault] = []

    public static let faultLimit = 100

    public init(_ attitude: Attitude) { self.attitude = attitude }

    var isStrict: Bool { attitude == .strict }

    /// Notes a fault of the value at hand.
    public mutating func report(_ reason: JSONFault.Reason) {
        guard faults.count < Self.faultLimit else { return }
        faults.append(JSONFault(path: JSONPath([]), reason: reason))
    }

    /// Reads something one step further in. Paths are put together only for faults, from within:
    /// most values have none.
    @inline(__always)
    mutating func reading<Value>(
        _ step: @autoclosure () -> JSONPath.Step, _ read: (inout JSONReader) -> Value
    ) -> Value {
        let before = faults.count
        let value = read(&self)
        if faults.count > before { prefix(step(), from: before) }
        return value
    }

    private mutating func prefix(_ step: JSONPath.Step, from start: Int) {
        for index in start..<faults.count { faults[index].path.steps.insert(step, at: 0) }
    }
}

/// One thing wrong with a JSON value.
public struct JSONFault: Error, Sendable, Hashable {
    public var path: JSONPath
    public var reason: Reason

    public enum Reason: Sendable, Hashable {
        /// Another kind of value, or text of another form.
        case invalid(expected: String, found: String)
        /// The attribute must be there; the path is the place where it should be.
        case missing
        /// The object takes no such attribute.
        case unknown
        /// A value of the right kind that is not accepted: why.
        case refused(String)
    }

    /// What is wrong, in words that follow the name of the place.
    public var message: String {
        switch reason {
        case .invalid(let expected, let found): "is not \(expected) but \(found)"
        case .missing: "is missing"
        case .unknown: "is not an attribute that can be set here"
        case .refused(let why): why
        }
    }
}
