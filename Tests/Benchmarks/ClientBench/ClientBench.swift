import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import Glibc

/// Measures the cost of the SDK: a complete request compared to a bare exchange of the same
/// transport, the number of exchanges per second on a connection, and the time of many at once. The
/// result is a line of JSON.
@main
enum ClientBench {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst(2).prefix(2).compactMap { Int($0) }
        guard let command = arguments.first, let text = arguments.dropFirst().first,
            let base = BaseURL(text), numbers.count == 2, let count = numbers.first,
            let pairs = numbers.last, count > 0, pairs > 0
        else { return usage() }
        switch command {
        case "offline":
            guard let folder = arguments.last else { return usage() }
            return print(try await offline(base, in: folder, count, pairs))
        case "together":
            guard let path = arguments.last else { return usage() }
            return print(try await ConcurrentRequests(base, trusting: path).json(count, pairs))
        case "steps": return try await Steps.run(base)
        case "costs", "rate": break
        default: return usage()
        }
        let subject = try await Subject(base)
        switch command {
        case "costs":
            let sockets = SocketTransport()
            let inProcess = try await subject.recorded(sockets)
            let sections = [
                try await Costs(subject, sockets).json("sockets", count, pairs),
                try await Costs(subject, inProcess).json("in process", count, pairs),
            ]
            print("{\(sections.joined(separator: ","))}")
        default: print(try await Rate(subject).json(count, inFlight: pairs))
        }
    }

    /// Measures the stored models on a device.
    private static func offline(
        _ base: BaseURL, in folder: String, _ count: Int, _ pairs: Int
    ) async throws -> String {
        let mirroring = Mirroring(base, in: folder)
        let articles = Array(try await mirroring.fetchAll().prefix(count))
        let sections = [
            #""merging":\#(try await Merging(articles, in: folder).json(pairs))"#,
            #""screen":\#(try await FirstScreen(articles, in: folder).json(pairs))"#,
            #""mirror":\#(try await mirroring.json(pairs))"#,
        ]
        return "{\(sections.joined(separator: ","))}"
    }

    private static func usage() {
        print(
            """
            costs URL COUNT PAIRS    CPU of COUNT requests, by the SDK and without it
            rate URL COUNT WIDTH     COUNT exchanges, of which WIDTH wait at a time
            steps URL 1 1            a list of articles for each line of the input
            together URL COUNT PAIRS FILE
                                                  COUNT articles at the same time over HTTP/1.1 and
                                                  HTTP/2, trusting the authorities in FILE
            offline URL COUNT PAIRS FOLDER
                                                  COUNT articles in stores of models in FOLDER
            """)
        exit(64)
    }
}

/// CPU time of all threads of this process in microseconds.
func processMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

extension [Double] {
    var median: Double {
        let sorted = sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
