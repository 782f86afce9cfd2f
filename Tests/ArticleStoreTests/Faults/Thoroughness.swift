import Glibc

/// Whether to try every place (`make faults`) or a sample of them.
enum Thoroughness {
    static let isFull = getenv("BROADSHEET_ALL_FAULTS") != nil
}
