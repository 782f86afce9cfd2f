import Glibc

/// Whether to try every place and great numbers (`make faults`, `make socket-faults`) or a sample
/// of them.
public enum Thoroughness {
    public static let isFull = getenv("BROADSHEET_ALL_FAULTS") != nil
}
