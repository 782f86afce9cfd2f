/// Collects the faults that are found while JSON values are read as typed values.
public struct JSONReader: Sendable {
    /// How a reader treats unknown attributes and values outside the limits.
    public enum Attitude: Sendable, Hashable {
        /// For clients: unknown attributes are ignored, and limits are left to the backend.
        case lenient
        /// For backends: unknown attributes are rejected, and every limit is enforced.
        case strict
    }

    public let attitude: Attitude
    /// The faults in the order in which they were found; at most `faultLimit`.
    public private(set) var faults: [JSONFault] = []

    public static let faultLimit = 100

    public init(_ attitude: Attitude) { self.attitude = attitude }

    var isStrict: Bool { attitude == .strict }

    /// Records a fault of the current value.
    public mutating func report(_ reason: JSONFault.Reason) {
        guard faults.count < Self.faultLimit else { return }
        faults.append(JSONFault(path: JSONPath([]), reason: reason))
    }

    /// Reads a nested value. The path is only built for faults, from the inside out, because most
    /// values have none.
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

/// One fault of a JSON value.
public struct JSONFault: Error, Sendable, Hashable {
    public var path: JSONPath
    public var reason: Reason

    public enum Reason: Sendable, Hashable {
        /// The value has the wrong kind, or its text the wrong form.
        case invalid(expected: String, found: String)
        /// A required attribute is absent; the path is where it should be.
        case missing
        /// The object has no such attribute.
        case unknown
        /// The value has the right kind but is not valid; the text says why.
        case refused(String)
    }

    /// What is wrong, in words that follow the name of the place.
    public var message: String {
        switch reason {
        case .invalid(let expected, let found): "must be \(expected), not \(found)"
        case .missing: "is missing"
        case .unknown: "is not an attribute that can be set here"
        case .refused(let why): why
        }
    }
}
