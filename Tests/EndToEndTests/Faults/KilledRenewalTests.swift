import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Renewals by a program that is killed or stopped in the middle of one, and by two holders of a
/// token, with a server whose clock moves on.
@Suite(.mayBlock) struct KilledRenewalTests {
    /// The clock is `OFFSET` seconds ahead.
    private static let clock = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, id, time);
            if (id == CLOCK_REALTIME) time->tv_sec += atoll(getenv("OFFSET"));
            return result;
        }
        """

    /// The process gets the signal `SIGNAL` at its point number `POINT`: before or after it
    /// connects, sends, receives, or changes a file. The thread that is there gets it, as it could
    /// end the process before another one is stopped.
    private static let points = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/socket.h>
        #include <unistd.h>
        static int count;
        static void point(void) {
            if (__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) == atoi(getenv("POINT")))
                raise(atoi(getenv("SIGNAL")));
        }
        #define AROUND(type, name, parameters, arguments) \\
            type name parameters { \\
                static type (*real) parameters; \\
                if (!real) real = (type (*) parameters)dlsym(RTLD_NEXT, #name); \\
                point(); \\
                type result = real arguments; \\
                point(); \\
                return result; \\
            }
        AROUND(int, connect, (int s, const struct sockaddr *a, socklen_t n), (s, a, n))
        AROUND(ssize_t, send, (int s, const void *b, size_t n, int f), (s, b, n, f))
        AROUND(ssize_t, sendmsg, (int s, const struct msghdr *m, int f), (s, m, f))
        AROUND(ssize_t, recv, (int s, void *b, size_t n, int f), (s, b, n, f))
        AROUND(int, ftruncate, (int f, off_t n), (f, n))
        AROUND(int, fsync, (int f), (f))
        AROUND(int, rename, (const char *a, const char *b), (a, b))
        """

    private let folder: TemporaryFolder
    private let clock: PreloadedLibrary
    private var database: String { folder.file("a.db") }
    private var session: String { folder.file("session") }

    init() throws {
        folder = try TemporaryFolder()
        clock = try PreloadedLibrary(Self.clock)
    }

    /// A server whose clock is ahead.
    private func serve(offsetSeconds: Int) throws -> (RunningServer, BaseURL) {
        // The first one creates the database.
        if access(database, F_OK) != 0 { #expect(try RunningServer(database).stop() == 0) }
        var environment = clock.environment
        environment["OFFSET"] = "\(offsetSeconds)"
        let served = try RunningServer(
            Program.start(
                [
                    "serve", "--database", database, "--listen", "127.0.0.1:0", "--sign-up",
                    "open",
                ], environment: environment))
        return (served, try #require(BaseURL("http://\(served.addresses[0])")))
    }

    private func signUp(_ url: BaseURL) async throws {
        let backend = BackendService(
            configuration: .patient(url),
            auth: try BackendAuth(store: FileCredentialStore(path: session)))
        try await backend.signUp(name: "mina", password: "correct horse")
    }

    /// Runs the client, which begins with a renewal as its token has expired.
    ///
    /// - Parameter environment: that of the library with the points.
    private func client(
        _ url: BaseURL, _ environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let store = FileCredentialStore(path: session)
        var credentials = try #require(try store.load())
        credentials.expiresAt = Timestamp(milliseconds: 1_000)
        try store.save(credentials)
        return try RunningProgram(
            builtProgram("broadsheet-session-client"), [url.description, session],
            environment: environment)
    }

    /// Waits for the program to stop; false if it has ended.
    private func stops(_ program: RunningProgram) -> Bool {
        var state = siginfo_t()
        while waitid(
            P_PID, id_t(program.processID), &state, WSTOPPED | WEXITED | WNOWAIT) != 0,
            errno == EINTR
        {}
        return state.si_code == CLD_STOPPED
    }

    /// At every third point in each run, and at all of them in `make faults`.
    @Test(arguments: [SIGKILL, SIGSTOP])
    func `a user stays signed in if the app is killed or stopped at any point of a renewal`(
        signal: Int32
    ) async throws {
        let library = try PreloadedLibrary(Self.points)
        var offset = 0
        var (served, url) = try serve(offsetSeconds: offset)
        try await signUp(url)
        var point = 0
        while true {
            point += Thoroughness.isFull ? 1 : 3
            var environment = library.environment
            (environment["POINT"], environment["SIGNAL"]) = ("\(point)", "\(signal)")
            let program = try client(url, environment)
            let isOver = signal == SIGKILL ? program.wait() == 0 : !stops(program)
            if signal == SIGKILL, !isOver {
                // Days later, and with another server.
                #expect(program.wait() == 128 + SIGKILL)
                #expect(served.stop() == 0)
                offset += point % 2 == 0 ? 70 : 3 * 24 * 3_600
                (served, url) = try serve(offsetSeconds: offset)
                let next = try client(url)
                #expect(next.output.rest() == ["mina"], "point \(point)")
                #expect(next.wait() == 0)
            }
            if signal == SIGSTOP {
                program.signal(SIGCONT)
                #expect(program.output.rest() == ["mina"], "point \(point)")
                #expect(program.wait() == 0)
            }
            if isOver { break }
        }
        #expect(point > 12)
        #expect(served.stop() == 0)
    }

    private func renew(_ token: String, _ served: RunningServer) throws -> ReceivedResponse {
        try served.client.send(
            .post, "/v1/sessions/refresh", fields: [.contentType: "application/json"],
            body: Array(#"{"refreshToken":"\#(token)"}"#.utf8))
    }

    private func me(_ token: String, _ served: RunningServer) throws -> Int {
        try served.client.send(
            .get, "/v1/me", fields: [.authorization: "Bearer \(token)"]
        ).status
    }

    @Test(arguments: [6, 3 * 24 * 3_600])
    func `a thief is found after a restart, whether the thief renews first or second`(
        seconds: Int
    ) async throws {
        var (served, url) = try serve(offsetSeconds: 0)
        try await signUp(url)
        let owner = try #require(try FileCredentialStore(path: session).load())
        // They cannot be told from each other: either may be the thief.
        let token = try #require(owner.refreshToken)
        let first = try renew(token, served)
        #expect(first.status == 200)
        let tokens = try UserSession(mapping: first.body)
        #expect(try me(tokens.accessToken, served) == 200)
        #expect(try renew(token, served).status == 200)
        #expect(served.stop() == 0)
        (served, url) = try serve(offsetSeconds: seconds)
        #expect(try renew(token, served).status == 401)
        #expect(try me(tokens.accessToken, served) == 401)
        #expect(try renew(tokens.refreshToken, served).status == 401)
        #expect(served.stop() == 0)
    }
}
