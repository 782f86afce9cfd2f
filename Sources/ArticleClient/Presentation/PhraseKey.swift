// Generated from Presentation.xcstrings by CatalogueTests, with BROADSHEET_RECORD=1.

/// The keys of the string catalogue, and their phrases.
enum PhraseKey: String, CaseIterable {
    case bylineMore = "byline.more"
    case bylineOne = "byline.one"
    case bylineOneSpoken = "byline.one.spoken"
    case bylineThree = "byline.three"
    case bylineTwo = "byline.two"
    case bylineTwoSpoken = "byline.two.spoken"
    case dateDay = "date.day"
    case dateDayAndTime = "date.day.and.time"
    case dateDayOfYear = "date.day.of.year"
    case dateHoursAgo = "date.hours.ago"
    case dateHoursAgoSpoken = "date.hours.ago.spoken"
    case dateInMinutes = "date.in.minutes"
    case dateInMinutesSpoken = "date.in.minutes.spoken"
    case dateJustNow = "date.just.now"
    case dateMinutesAgo = "date.minutes.ago"
    case dateMinutesAgoSpoken = "date.minutes.ago.spoken"
    case dateSoon = "date.soon"
    case dateToday = "date.today"
    case dateTomorrow = "date.tomorrow"
    case dateYesterday = "date.yesterday"
    case month01 = "month.01"
    case month01Short = "month.01.short"
    case month02 = "month.02"
    case month02Short = "month.02.short"
    case month03 = "month.03"
    case month03Short = "month.03.short"
    case month04 = "month.04"
    case month04Short = "month.04.short"
    case month05 = "month.05"
    case month05Short = "month.05.short"
    case month06 = "month.06"
    case month06Short = "month.06.short"
    case month07 = "month.07"
    case month07Short = "month.07.short"
    case month08 = "month.08"
    case month08Short = "month.08.short"
    case month09 = "month.09"
    case month09Short = "month.09.short"
    case month10 = "month.10"
    case month10Short = "month.10.short"
    case month11 = "month.11"
    case month11Short = "month.11.short"
    case month12 = "month.12"
    case month12Short = "month.12.short"
    case readingTime = "reading.time"
    case readingTimeSpoken = "reading.time.spoken"
    case titleUntitled = "title.untitled"

    var english: Phrase {
        switch self {
        case .bylineMore: .text("By %1$@, %2$@ and %3$lld others")
        case .bylineOne: .text("By %1$@")
        case .bylineOneSpoken: .text("By %1$@")
        case .bylineThree: .text("By %1$@, %2$@ and %3$@")
        case .bylineTwo: .text("By %1$@ and %2$@")
        case .bylineTwoSpoken: .text("By %1$@ and %2$@")
        case .dateDay: .text("%1$@ %2$lld")
        case .dateDayAndTime: .text("%1$@ at %2$@")
        case .dateDayOfYear: .text("%1$@ %2$lld, %3$lld")
        case .dateHoursAgo: .text("%1$lld h ago")
        case .dateHoursAgoSpoken: .plural(one: "%1$lld hour ago", other: "%1$lld hours ago")
        case .dateInMinutes: .text("In %1$lld min")
        case .dateInMinutesSpoken: .plural(one: "In %1$lld minute", other: "In %1$lld minutes")
        case .dateJustNow: .text("Just now")
        case .dateMinutesAgo: .text("%1$lld min ago")
        case .dateMinutesAgoSpoken: .plural(one: "%1$lld minute ago", other: "%1$lld minutes ago")
        case .dateSoon: .text("In a moment")
        case .dateToday: .text("Today at %1$@")
        case .dateTomorrow: .text("Tomorrow at %1$@")
        case .dateYesterday: .text("Yesterday")
        case .month01: .text("January")
        case .month01Short: .text("Jan")
        case .month02: .text("February")
        case .month02Short: .text("Feb")
        case .month03: .text("March")
        case .month03Short: .text("Mar")
        case .month04: .text("April")
        case .month04Short: .text("Apr")
        case .month05: .text("May")
        case .month05Short: .text("May")
        case .month06: .text("June")
        case .month06Short: .text("Jun")
        case .month07: .text("July")
        case .month07Short: .text("Jul")
        case .month08: .text("August")
        case .month08Short: .text("Aug")
        case .month09: .text("September")
        case .month09Short: .text("Sep")
        case .month10: .text("October")
        case .month10Short: .text("Oct")
        case .month11: .text("November")
        case .month11Short: .text("Nov")
        case .month12: .text("December")
        case .month12Short: .text("Dec")
        case .readingTime: .text("%1$lld min read")
        case .readingTimeSpoken:
            .plural(one: "%1$lld minute to read", other: "%1$lld minutes to read")
        case .titleUntitled: .text("Untitled")
        }
    }

    var korean: Phrase {
        switch self {
        case .bylineMore: .text("글 %1$@, %2$@ 외 %3$lld명")
        case .bylineOne: .text("글 %1$@")
        case .bylineOneSpoken: .text("글쓴이 %1$@")
        case .bylineThree: .text("글 %1$@, %2$@, %3$@")
        case .bylineTwo: .text("글 %1$@, %2$@")
        case .bylineTwoSpoken: .text("글쓴이 %1$@, %2$@")
        case .dateDay: .text("%1$@ %2$lld일")
        case .dateDayAndTime: .text("%1$@ %2$@")
        case .dateDayOfYear: .text("%3$lld년 %1$@ %2$lld일")
        case .dateHoursAgo: .text("%1$lld시간 전")
        case .dateHoursAgoSpoken: .text("%1$lld시간 전")
        case .dateInMinutes: .text("%1$lld분 후")
        case .dateInMinutesSpoken: .text("%1$lld분 후")
        case .dateJustNow: .text("방금")
        case .dateMinutesAgo: .text("%1$lld분 전")
        case .dateMinutesAgoSpoken: .text("%1$lld분 전")
        case .dateSoon: .text("곧")
        case .dateToday: .text("오늘 %1$@")
        case .dateTomorrow: .text("내일 %1$@")
        case .dateYesterday: .text("어제")
        case .month01: .text("1월")
        case .month01Short: .text("1월")
        case .month02: .text("2월")
        case .month02Short: .text("2월")
        case .month03: .text("3월")
        case .month03Short: .text("3월")
        case .month04: .text("4월")
        case .month04Short: .text("4월")
        case .month05: .text("5월")
        case .month05Short: .text("5월")
        case .month06: .text("6월")
        case .month06Short: .text("6월")
        case .month07: .text("7월")
        case .month07Short: .text("7월")
        case .month08: .text("8월")
        case .month08Short: .text("8월")
        case .month09: .text("9월")
        case .month09Short: .text("9월")
        case .month10: .text("10월")
        case .month10Short: .text("10월")
        case .month11: .text("11월")
        case .month11Short: .text("11월")
        case .month12: .text("12월")
        case .month12Short: .text("12월")
        case .readingTime: .text("읽는 데 %1$lld분")
        case .readingTimeSpoken: .text("읽는 데 %1$lld분")
        case .titleUntitled: .text("제목 없음")
        }
    }
}
