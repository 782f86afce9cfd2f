extension RecallArticle {
    /// Apps for phones.
    static let appTexts = [
        """
        lifecycle ios uikit
        뷰 컨트롤러의 생명 주기
        viewDidLoad부터 화면이 사라질 때까지
        뷰 컨트롤러는 화면이 메모리에 올라올 때 viewDidLoad를 부릅니다. 화면 전환 때마다 viewWillAppear가
        호출되므로 새로 고침은 여기에서 합니다.
        """,
        """
        navigation ios uikit
        내비게이션 컨트롤러로 화면 전환하기
        push와 modal의 차이
        내비게이션 바의 제목을 바꾸고, 뒤로 가기 제스처를 지키는 방법을 설명합니다.
        """,
        """
        tableview ios uikit
        테이블뷰 셀 재사용
        스크롤이 버벅일 때 확인할 것들
        셀을 재사용하지 않으면 스크롤이 느려집니다. 이미지는 미리 줄여 두고, 셀이 화면을 떠나면 요청을 취소하세요.
        """,
        """
        swiftui ios swiftui
        SwiftUI state, from the bottom up
        State, bindings and observable models.
        A view is a function of its state. Pass bindings down, and keep the source of truth in one
        place. Observation tracks which properties a body reads.
        """,
        """
        스위프트유아이 ios swiftui
        스위프트유아이 레이아웃 연습
        스택과 그리드로 화면 나누기
        HStack과 VStack을 겹치면 대부분의 화면을 만들 수 있습니다. 여백은 padding으로 조절합니다.
        """,
        """
        animations ios swiftui
        Animations that feel physical
        Springs, gestures and interruptions.
        A spring animation continues from the present velocity. Let gestures interrupt animations,
        and never block touches while something moves.
        """,
        """
        accessibility ios accessibility
        VoiceOver for custom controls
        Labels, traits and actions for people who cannot see the screen.
        Give each control a label and a trait. Group what belongs together. Test with VoiceOver
        switched on and the display off.
        """,
        """
        darkmode ios design
        다크 모드 색상 고르기
        대비와 가독성을 지키는 팔레트
        어두운 배경에서는 순수한 검정보다 짙은 회색이 눈에 편합니다. 대비는 4.5 이상이어야 합니다.
        """,
        """
        push ios notifications
        푸시 알림이 오지 않을 때
        인증서, 토큰, 권한을 차례로 확인합니다.
        기기 토큰은 앱을 다시 설치하면 바뀝니다. 서버는 만료된 토큰을 지워야 합니다. 알림 권한을 언제 물을지도
        중요합니다.
        """,
        """
        coredata ios database
        Core Data migrations that do not lose data
        Lightweight and staged migrations.
        Keep every version of the model. Test a migration with a copy of a real database, and
        measure how long it takes on an old phone.
        """,
        """
        sqlite database
        SQLite in an app without a wrapper
        Prepared statements, transactions and write-ahead logs.
        Open one connection for writes and several for reads. With a write-ahead log, readers
        never block the writer. Use prepared statements and bind values.
        """,
        """
        keychain ios security
        Storing tokens in the Keychain
        Access groups and biometric protection.
        A password never belongs in user defaults. Choose the accessibility class with care: items
        that need Face ID cannot be read in the background.
        """,
        """
        network ios networking
        URLSession timeouts and retries
        Requests that survive a train ride.
        Set a timeout for the whole resource. Retry only requests that are idempotent, with a
        delay that grows. Show cached data at once.
        """,
        """
        instruments ios performance
        인스트루먼트로 성능 측정하기
        CPU, 메모리, 배터리 사용량을 재는 법
        느린 화면은 추측하지 말고 재세요. Time Profiler는 어느 함수가 시간을 쓰는지 보여 줍니다.
        """,
        """
        localization ios localization
        앱 현지화 체크리스트
        문자열, 날짜, 숫자, 복수형
        문자열 카탈로그에 모든 문구를 모으고, 날짜 형식은 지역 설정을 따르게 합니다. 독일어는 길어서 버튼이 넘칩니다.
        """,
        """
        appstore ios review
        App Store 심사 거절 사유 모음
        자주 거절되는 다섯 가지 이유
        로그인 없이 볼 수 있는 화면이 없거나 개인정보 처리방침 링크가 깨져 있으면 심사에서 거절됩니다.
        """,
        """
        widgets ios17 widgets
        Interactive widgets in iOS17
        Buttons and toggles on the home screen.
        Since iOS 17, widgets can run an intent when a button is tapped. Keep timelines short, and
        let the system decide when to reload.
        """,
        """
        combine ios reactive
        Replacing Combine with async sequences
        Publishers, debounce and cancellation.
        A search field needs a debounce of 300 milliseconds and only the latest result. Async
        sequences read top down, and cancellation comes for free.
        """,
        """
        email ios forms
        E-mail fields and autofill
        Keyboard types, content types and one-time codes.
        Tell the system what a field is for. Then it offers the right keyboard, the e-mail address
        of the owner, and codes from messages.
        """,
        """
        nodejs server javascript
        A small Node.js mock server
        Fake responses for app tests.
        Run a mock server with Node.js next to the simulator. It serves JSON files and can delay
        or break a response on purpose.
        """,
        """
        정규식 tools
        정규표현식 입문
        패턴으로 문자열 찾고 바꾸기
        정규표현식은 이메일 주소나 전화번호처럼 모양이 정해진 문자열을 찾을 때 씁니다.
        """,
        """
        git tools git
        Git 브랜치 전략 비교
        트렁크 기반 개발과 git flow
        작은 팀이라면 브랜치를 짧게 유지하고 매일 합치세요. 릴리스 브랜치는 배포 직전에만 만듭니다.
        """,
        """
        docker server tools
        Dockerfile for a small image
        Multi-stage builds and non-root users.
        Compile in one stage and copy the binary to a slim one. Run as a user without rights. An
        image of 20 MB starts faster than one of 2 GB.
        """,
    ]
}
