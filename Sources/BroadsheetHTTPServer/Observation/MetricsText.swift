/// A metrics page in Prometheus text format 0.0.4, which OpenMetrics scrapers also read.
///
/// Labels and help texts are escaped; names are written as they are, and the caller writes each
/// family once.
///
/// ```swift
/// var page = MetricsText()
/// page.single("queue_jobs", .gauge, help: "Jobs that wait.", 3)
/// page.family("requests_total", .counter, help: "Requests by method.")
/// page.sample("requests_total", ["method": "GET"], 12)
/// ```
public struct MetricsText: Sendable {
    /// `Content-Type` of the page.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The page so far, in UTF-8.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Begins a family with its help, type and unit.
    ///
    /// - Parameter unit: In plural, as in the name (`seconds`, `bytes`); `nil` for plain counts.
    public mutating func family(_ name: String, _ kind: Kind, unit: String? = nil, help: String) {
        add("# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n")
        if let unit { add("# UNIT \(name) \(unit)\n") }
    }

    /// A family with one sample.
    public mutating func single(
        _ name: String, _ kind: Kind, unit: String? = nil, help: String, _ value: some MetricValue
    ) {
        family(name, kind, unit: unit, help: help)
        sample(name, [:], value)
    }

    /// A family with one histogram.
    ///
    /// - Parameters:
    ///   - bounds: The upper bounds of all buckets but the last, which has none.
    ///   - counts: The count of each single bucket, including the last.
    public mutating func histogram(
        _ name: String, unit: String? = nil, help: String, bounds: [String], counts: [Int],
        sum: some MetricValue
    ) {
        family(name, .histogram, unit: unit, help: help)
        var total = 0
        for (bound, count) in zip(bounds + ["+Inf"], counts) {
            total += count
            sample(name + "_bucket", ["le": bound], total)
        }
        sample(name + "_sum", [:], sum)
        sample(name + "_count", [:], total)
    }

    /// A sample of the current family; `name` includes a histogram's suffix.
    public mutating func sample(
        _ name: String, _ labels: KeyValuePairs<String, String>, _ value: some MetricValue
    ) {
        add(name)
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
            add("{" + pairs.joined(separator: ",") + "}")
        }
        let number = "\(value)"
        add(" \(number == "inf" ? "+Inf" : number)\n")
    }

    private mutating func add(_ text: String) { bytes += text.utf8 }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// A number as a sample's value: `Int`, `Int64` or `Double`. Use it anywhere. See ``MetricsText``.
public protocol MetricValue: CustomStringConvertible {}

extension Int: MetricValue {}
extension Int64: MetricValue {}
extension Double: MetricValue {}
