/// The CPU time of each suite of tests, as `make test-times` wrote it.
struct SuiteTimes {
    static let path = "Tests/suite-times.tsv"
    static let limitSeconds = 20.0

    private var seconds: [String: Double] = [:]
    private var malformed: [String] = []

    init(_ lines: [String]) {
        for line in lines where !line.isEmpty && !line.hasPrefix("#") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 2, let value = Double(columns[1]), value >= 0,
                seconds.updateValue(value, forKey: String(columns[0])) == nil
            else {
                malformed.append(line)
                continue
            }
        }
    }

    /// Returns the faults of the table if these are the suites.
    func faults(_ suites: Set<String>) -> [String] {
        let names = Set(seconds.keys)
        return malformed.map { "malformed or repeated: \($0)" }
            + suites.subtracting(names).sorted().map { "\($0) is missing" }
            + names.subtracting(suites).sorted().map { "\($0) does not exist" }
            + seconds.filter { $0.value > Self.limitSeconds }.keys.sorted().map {
                "\($0) takes more than \(Self.limitSeconds) CPU seconds"
            }
    }
}
