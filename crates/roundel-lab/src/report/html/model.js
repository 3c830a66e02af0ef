// The planner's model: what it predicts, what was measured.

/** Predictions and measurements of `roundel tune --check --json`. */
function showModel(data) {
  const files = filesOf(data, "check");
  if (!files.length) {
    return [missing("model", "Prediction and measurement", "how well the planner's model predicts this machine", ["roundel tune", "roundel tune --check --json > roundel-check.json"]), () => {}];
  }
  const [file] = files;
  const { errors, regret } = file.content;
  const points = errors.points.map((point) => ({ ...point, series: `${point.what}, ${point.threads} thread${point.threads > 1 ? "s" : ""}`, error: 100 * (point.predicted_ns / point.measured_ns - 1) }));
  const names = [...groups(points, (point) => point.series).keys()];
  const [times, misses] = [el("div", { class: "chart" }), el("div", { class: "chart" })];
  const legend = el("div", { class: "legend" });
  const hidden = new Set();
  const title = (point) => `${point.series}, ${point.bytes.toLocaleString("en")} bytes\npredicted ${duration(point.predicted_ns)}, measured ${duration(point.measured_ns)}\nerror ${point.error.toFixed(1)} %`;
  const stroke = (point) => colour(names.indexOf(point.series));
  const paint = () => {
    const shown = points.filter((point) => !hidden.has(point.series));
    toggles(legend, names, names, hidden, paint);
    const x = room(points.map((point) => point.bytes), 0.03);
    const rate = (ns, point) => point.bytes / ns;
    const y = room(points.flatMap((point) => [rate(point.predicted_ns, point), rate(point.measured_ns, point)]));
    const shared = (width) => ({ marginLeft: 48, x: { type: "log", base: 2, domain: x, label: "bytes", ticks: sizeTicks(x, width), tickFormat: sizeTick } });
    draw(times, `Predicted and measured rate against length, ${names.join("; ")}`, shown.length, (width) => ({
      ...shared(width), height: 300,
      y: { type: "log", domain: y, label: "GB/s", ticks: logTicks(y, 8), tickFormat: tick, grid: true },
      marks: [
        Plot.lineY(shown, { x: "bytes", y: (point) => rate(point.predicted_ns, point), z: "series", stroke }),
        Plot.dot(shown, { x: "bytes", y: (point) => rate(point.measured_ns, point), r: 4, stroke, fill: "var(--back)" }),
        tip(shown, "bytes", (point) => rate(point.measured_ns, point), title),
      ],
    }));
    draw(misses, "Error of the prediction in per cent against length", shown.length, (width) => ({
      ...shared(width), height: 300,
      y: { label: "error, %", grid: true },
      marks: [
        Plot.ruleY([0]),
        Plot.dot(shown, { x: "bytes", y: "error", r: 4, stroke, fill: stroke }),
        tip(shown, "bytes", "error", title),
      ],
    }));
  };
  const words = `Lines: the model; dots: the least of a few measurements at lengths that no fit has seen. Median error ${digits(100 * errors.median)} %, worst ${digits(100 * errors.worst)} %.`;
  const plans = regret ? ` Of ${regret.points.length} plans, ${digits(100 * regret.within_5_percent)} % were at most 5 % slower than the best strategy measured afterwards; the worst ${digits(100 * regret.worst)} %.` : "";
  const columns = [
    { name: "what", value: (point) => point.what },
    { name: "threads", value: (point) => point.threads, numeric: true },
    { name: "bytes", value: (point) => point.bytes, numeric: true },
    { name: "predicted ms", value: (point) => point.predicted_ns / 1e6, text: (point) => digits(point.predicted_ns / 1e6), numeric: true },
    { name: "measured ms", value: (point) => point.measured_ns / 1e6, text: (point) => digits(point.measured_ns / 1e6), numeric: true },
    { name: "error %", value: (point) => point.error, text: (point) => point.error.toFixed(1), numeric: true },
  ];
  const planColumns = [
    { name: "cipher", value: (p) => p.cipher }, { name: "key bits", value: (p) => p.key_bits, numeric: true },
    { name: "key", value: (p) => (p.fresh ? "new" : "kept") }, { name: "bytes", value: (p) => p.bytes, numeric: true },
    { name: "planned", value: (p) => p.planned }, { name: "best", value: (p) => p.best },
    { name: "slower by %", value: (p) => 100 * (p.planned_ns / p.best_ns - 1), text: (p) => (100 * (p.planned_ns / p.best_ns - 1)).toFixed(1), numeric: true },
  ];
  const built = section("model", "Prediction and measurement", el("p", {}, words + plans), legend, el("div", { class: "pair" }, times, misses),
    disclosed("The figures as a table", () => table("Predicted and measured", columns, points)),
    regret ? disclosed("Planned and best as a table", () => table("Planned and best", planColumns, regret.points, { sortBy: 6, descending: true })) : null,
    origin({ ...file, command: "roundel tune --check --json" }));
  return [built, paint];
}

/** A section whose data was not given: what makes it. */
function missing(id, heading, what, commands) {
  return section(id, heading, el("p", { class: "empty" }, `Not in this report: ${what}. To have it here:`),
    el("pre", {}, commands.map((command) => `${command}\n`).join("") + "roundel report"));
}
