import Foundation

let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
let forecast = try Forecast.decoder.decode(Forecast.self, from: data)
for hour in forecast.hours { print("\(forecast.place), \(hour.at): \(hour.celsius) °C") }
