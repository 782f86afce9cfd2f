import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// The program with libraries that show it another machine.
@Suite(.mayBlock) struct PreloadedLibraryTests {
    /// `setenv(3)` moves the environment, too. There are zeros where the arguments were before it.
    private static let movedEnvironment = """
        #include <stdlib.h>
        #include <string.h>
        extern char **environ;
        __attribute__((constructor)) static void move(void) {
            size_t count = 0;
            while (environ[count]) count++;
            char **copy = calloc(count + 64, sizeof *copy);
            environ = memcpy(copy + 63, environ, count * sizeof *copy);
        }
        """

    @Test func `arguments are found when a library has moved the environment`() throws {
        let library = try PreloadedLibrary(Self.movedEnvironment)
        for (arguments, says) in [
            (["version", "", "two words"], #"unexpected argument """#),
            (["version", "é\n"], #"unexpected argument "é"#), (["frobnicate"], "frobnicate"),
            ([], "missing command"),
        ] {
            let program = try Program.start(arguments, environment: library.environment)
            let errors = program.errors.rest()
            #expect(program.wait() == 64 && errors.first?.contains(says) == true, "\(errors)")
        }
    }

    /// The clock shows `CLOCK` seconds.
    private static let clock = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, id, time);
            if (id == CLOCK_REALTIME) time->tv_sec = atoll(getenv("CLOCK"));
            return result;
        }
        """

    /// The years 2261, 2263, 9999, 10000 and 58,000,000,000, and 1678, 1676, 0 and -58,000,000,000.
    @Test(arguments: [
        9_200_000_000, 9_240_000_000, 253_402_300_799, 253_402_300_800, Int64.max / 5,
        -9_200_000_000, -9_260_000_000, -62_167_219_200, Int64.min / 5,
    ])
    func `a server serves and writes whatever its clock says`(seconds: Int64) throws {
        let folder = try TemporaryFolder()
        let library = try PreloadedLibrary(Self.clock)
        var environment = library.environment
        environment["CLOCK"] = "\(seconds)"
        environment["BROADSHEET_ADMIN_KEY"] = RunningServer.adminKey
        let served = try RunningServer(
            Program.start(
                ["serve", "--database", folder.file("a.db"), "--listen", "127.0.0.1:0"],
                environment: environment))
        let written = try served.send(
            .post, "/v1/articles", #"{"title":"Rye","status":"published"}"#)
        #expect(written.status == 201)
        let read = try served.client.get("/v1/articles")
        #expect(read.status == 200 && read.fields[.date] != nil)
        #expect(served.stop() == 0)
    }
}
