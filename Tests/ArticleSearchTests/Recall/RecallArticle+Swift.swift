extension RecallArticle {
    /// The language and its tools.
    static let swiftTexts = [
        """
        structs swift 구조체
        구조체와 클래스의 차이
        값 타입과 참조 타입을 언제 쓰는지 비교합니다.
        구조체는 값으로 복사되고, 클래스는 참조로 전달됩니다. 상속이 필요 없다면 구조체를 먼저 고려하세요.
        `struct Point { var x = 0 }`처럼 짧게 선언할 수 있고, 복사본을 바꾸어도 원본은 그대로입니다.
        """,
        """
        memory swift
        순환 참조와 메모리 누수 찾기
        weak와 unowned로 순환 참조를 끊는 방법입니다.
        클로저가 self를 강하게 붙잡으면 메모리가 해제되지 않습니다. 캡처 리스트에 `[weak self]`를 적으세요.
        ARC는 참조 횟수를 셉니다. 두 객체가 서로를 가리키면 횟수가 0이 되지 않습니다.
        """,
        """
        optionals swift beginners
        Optionals without tears
        How to unwrap values that may be missing.
        Use `if let` or `guard let` to unwrap an optional, and `??` for a default value. Force
        unwrapping crashes when there is nothing inside. Optional chaining stops at the first
        missing value.
        """,
        """
        옵셔널 swift
        옵셔널 바인딩 한 번에 이해하기
        if let, guard let, 그리고 nil 병합 연산자
        값이 없을 수도 있는 변수를 안전하게 꺼내는 방법을 정리했습니다. 강제 추출은 앱을 종료시킵니다.
        """,
        """
        concurrency swift concurrency
        Structured concurrency in practice
        Tasks, groups and cancellation with async/await.
        A task group waits for its children. `async let` starts a child at once, and leaving the
        scope cancels it. An actor protects its state: only one caller runs inside at a time.
        """,
        """
        동시성 swift concurrency
        async/await로 네트워크 요청 바꾸기
        완료 핸들러 대신 비동기 함수를 씁니다.
        콜백 지옥에서 벗어나려면 `async` 함수로 옮기세요. 취소는 Task가 전달하고, 오류는 throw로 올라옵니다.
        """,
        """
        actors swift concurrency
        액터와 데이터 경쟁
        actor가 공유 상태를 지키는 방법
        여러 스레드가 같은 변수를 바꾸면 데이터 경쟁이 생깁니다. 액터는 한 번에 한 작업만 들여보냅니다.
        """,
        """
        swift59 swift release
        What's new in Swift 5.9
        Macros, parameter packs and `if` expressions.
        Swift 5.9 brings macros that generate code at compile time. `if` and `switch` are
        expressions now, and C++ interoperability is no longer experimental.
        """,
        """
        swift6 swift release
        Migrating a package to Swift 6
        Complete concurrency checking, one target at a time.
        Turn on the upcoming features first. Global variables must be immutable or isolated. Data
        races become compile errors, so plan some days for a large package.
        """,
        """
        swift62 swift release
        Swift 6.2.1 patch notes
        Small fixes for the compiler and the debugger.
        This patch release fixes a crash in the type checker and speeds up incremental builds on
        Linux.
        """,
        """
        cpp swift interoperability
        Calling C++ from Swift
        Headers, modules and lifetimes.
        Import a C++ library through a module map. Value types with copy constructors become
        structs. References need care: annotate lifetimes, or copy. C# has no such bridge.
        """,
        """
        utf8 swift strings
        Strings are UTF-8 inside
        Why counting characters is slow, and bytes are fast.
        A String stores UTF-8. The utf8 view is random access in all but name; the character view
        breaks text into grapheme clusters. An emoji can be several scalars long.
        """,
        """
        generics swift
        제네릭과 프로토콜 지향 프로그래밍
        some과 any의 차이까지
        제네릭 함수는 타입을 매개변수로 받습니다. 프로토콜에 연관 타입이 있으면 some을 먼저 써 보세요.
        """,
        """
        errors swift
        Typed throws and error handling
        When to name the errors that a function throws.
        Typed throws help embedded code and generic wrappers. For public libraries an untyped
        error leaves room for change. Convert errors at the boundary of each layer.
        """,
        """
        packages swift tools
        Splitting an app into packages
        Faster builds with the package manager.
        Local packages build in parallel and keep imports honest. Put features into their own
        targets, and let the app depend on them. Previews become faster, too.
        """,
        """
        testing swift tests
        From XCTest to Swift Testing
        Suites, traits and parameterized tests.
        Use `#expect` in place of assertions. Parameterized tests run one function for many
        arguments, and tags select which of them to run on CI.
        """,
        """
        linux swift server
        Running a Swift server on Debian
        systemd, logs and a static binary.
        Build with the static standard library, copy one binary, and let systemd restart it. Read
        logs with journalctl. The service needs 30 MB of memory.
        """,
        """
        컴파일러 swift tools
        스위프트 컴파일러는 어떻게 동작하나
        파싱부터 SIL 최적화까지
        소스는 구문 트리가 되고, 타입 검사를 거쳐 SIL로 낮아집니다. 마지막으로 LLVM이 기계어를 만듭니다.
        """,
    ]
}
