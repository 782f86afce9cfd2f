import FuzzingLaws
import Glibc
import ParserLaws

/// The function that libFuzzer calls with each input; its runtime provides `main`.
///
/// `FUZZ_TARGET` is the name of the target. An input that violates a law ends the program, so that
/// libFuzzer saves it.
@c(LLVMFuzzerTestOneInput)
func runOneInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let broken = target.brokenLaws(Array(UnsafeBufferPointer(start: bytes, count: size)))
    guard broken.isEmpty else {
        complain(broken.map { "broken: \($0)\n" }.joined())
        abort()
    }
    return 0
}

private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        complain("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name))\n")
        exit(64)
    }
    return target
}()

private func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
