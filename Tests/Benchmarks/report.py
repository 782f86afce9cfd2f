"""Reports results as a table, as JSON, and as plots for the README."""

import json
import os


def figure(value, unit):
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def bound(row, key):
    return "–" if row[key] is None else f"{row[key]:,g}"


def mark(row):
    if not row["gateHolds"]:
        return "GATE MISSED"
    return "aim" if row["aimHolds"] else "gate" if row["gate"] is not None else "below aim"


def table(rows):
    lines = [f"{'benchmark':72} {'gate':>8} {'aim':>8} {'result':>20}  meets"]
    for row in rows:
        lines.append(f"{row['name']:72} {bound(row, 'gate'):>8} {bound(row, 'aim'):>8} "
                     f"{figure(row['figure'], row['unit']):>20}  {mark(row)}")
    lines += ["", f"{'load':72} {'req/s':>9} {'p50 ms':>8} {'p99 ms':>8} {'CPU µs':>8}"]
    for row in rows:
        for who in ("ours", "nginx", "alone"):
            if who in row:
                run = row[who]
                name = row["name"] if who == "ours" else f"    {who}"
                lines.append(f"{name:72} {run['perSecond']:9,.0f} {run['p50']:8.2f} "
                             f"{run['p99']:8.2f} {run['cpu']:8.2f}")
    return "\n".join(lines)


def write(rows, about, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "bench.json"), "w", encoding="utf-8") as file:
        json.dump({**about, "rows": rows}, file, indent=2, ensure_ascii=False)
        file.write("\n")
    cost = [(label, row[who]["cpu"]) for row in rows if row.get("plot") == "cached"
            for who, label in (("ours", short(row)), ("nginx", "nginx, the same bytes"))]
    plot(cost, "Server CPU of a cached GET, each request logged, µs", os.path.join(folder, "cached.svg"))
    single = None
    rates = [(row["name"].split(": CPU")[0], row["ours"]["perSecond"]) for row in rows
             if row["name"].endswith("return 200")]
    for row in rows:
        if "singlePerSecond" in row:
            rates += [(row["name"].split(", relative to")[0], row["perSecond"])]
            single = row["singlePerSecond"]
    rates += [("single commits of SQLite", single)] if single else []
    plot(rates, "On one core, per second", os.path.join(folder, "rates.svg"))

    costs = [(label, row[who]) for row in rows if "bare" in row
             for who, label in (("send", client(row)), ("bare", "a bare exchange"))]
    plot(costs, "Client CPU of a request, µs", os.path.join(folder, "client.svg"))
    times = [(label, row[key]) for row in rows if "http2Milliseconds" in row
             for key, label in (("http2Milliseconds", "HTTP/2"), ("http1Milliseconds", "HTTP/1.1"))]
    plot(times, "Twenty articles on a new connection, 100 ms each way, ms", os.path.join(folder, "http2.svg"))


def client(row):
    return row["name"].split(":")[0]


def short(row):
    return row["name"].split(":")[0].replace("cached GET with the log, ", "broadsheet, ")


def plot(bars, title, path):
    """Horizontal bars, readable on light and dark pages."""
    if not bars:
        return
    largest = max(value for _, value in bars)
    height = 44 + 28 * len(bars)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" '
             'font-family="sans-serif" font-size="13" fill="#7a7a7a">',
             f'<text x="12" y="24" font-size="15" font-weight="bold">{title}</text>']
    for number, (label, value) in enumerate(bars):
        y = 40 + 28 * number
        width = 320 * value / largest
        colour = "#9aa0a6" if any(
            word in label for word in ("nginx", "single", "bare", "HTTP/1.1")) else "#2a7de1"
        parts.append(f'<text x="12" y="{y + 15}">{label}</text>')
        parts.append(f'<rect x="310" y="{y}" width="{width:.1f}" height="20" rx="3" '
                     f'fill="{colour}"/>')
        parts.append(f'<text x="{318 + width:.1f}" y="{y + 15}">{figure(value, "").strip()}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n</svg>\n")
