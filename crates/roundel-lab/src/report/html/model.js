// The planner's model: what it predicts, what was measured.

/** What the profile predicts for the benchmark's own points, and predictions and measurements of `roundel tune --check --json`. */
function showModel(data, choice, rows) {
  const parts = [];
  if (rows.some((row) => row.predicted !== null)) parts.push(onBenchmark(choice, rows));
  const [file] = filesOf(data, "check");
  if (file) parts.push(onUnseenLengths(file));
  const commands = ["roundel tune", "roundel tune --check --json > roundel-check.json"];
  if (!parts.length) return [missing("model", "Prediction and measurement", "how well the planner's model predicts this machine", commands), () => {}];
  const built = section("model", "Prediction and measurement", ...parts.map(([part]) => part));
  return [built, () => parts.forEach(([, paint]) => paint())];
}

/** Larger errors lie at the edge; their tips and the table have them. */
const MOST_PERCENT = 100;

function errorAxis(points, error) {
  const most = Math.min(MOST_PERCENT, 1.1 * d3.max(points, (point) => Math.abs(error(point))));
  return { domain: [-most, most], clamp: true, label: most < MOST_PERCENT ? "error, %" : "error, % (larger ones at the edge)", grid: true };
}

/** A dot for each chosen point of the benchmark: by what share the profile's model is off. */
function onBenchmark(choice, rows) {
  const holder = el("div", { class: "chart" });
  const [words, behind] = [el("p"), el("div")];
  const paint = () => {
    const shown = rows.filter((row) => row.predicted !== null && choice.takesContender(row) && choice.takesOperation(row));
    const middle = d3.median(shown, (row) => Math.abs(errorOf(row)));
    words.textContent = shown.length
      ? `The profile's model on this benchmark, ${choice.words()}: of ${shown.length} points the median error is ${digits(middle)} %. Hollow: under a new key. The profile was measured at another time, so a busy minute then or now counts as error.`
      : "";
    if (!shown.length) {
      holder.dataset.points = 0;
      holder.replaceChildren(nothing());
      behind.replaceChildren();
      return;
    }
    const x = room(shown.map((row) => row.bytes), 0.03);
    draw(holder, `Error of the model in per cent against message length, ${shown.length} points; median ${digits(middle)} %`, shown.length, (width) => ({
      height: 300, marginLeft: 48,
      x: { type: "log", base: 2, domain: x, label: "bytes", ticks: sizeTicks(x, width), tickFormat: sizeTick },
      y: errorAxis(shown, errorOf),
      marks: [
        Plot.ruleY([0]),
        Plot.dot(shown, { x: "bytes", y: errorOf, r: 3.5, stroke: "var(--c0)", fill: (row) => (row.fresh ? "var(--back)" : "var(--c0)") }),
        tip(shown, "bytes", errorOf, hover),
      ],
    }));
    const columns = [...pointColumns().filter((column) => !/byte$|least|most|±|checks|GB|cycles|threads/.test(column.name)),
      { name: "predicted ns", value: (row) => row.predicted, text: (row) => digits(row.predicted), numeric: true },
      { name: "error %", value: errorOf, text: (row) => errorOf(row).toFixed(1), numeric: true }];
    behind.replaceChildren(disclosed("The figures as a table", () => table("The model on this benchmark", columns, shown)));
  };
  choice.listeners.push(paint);
  return [el("div", {}, words, holder, behind), paint];
}

/** Predictions and measurements of `roundel tune --check --json`. */
function onUnseenLengths(file) {
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
      y: errorAxis(points, (point) => point.error),
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
  const built = el("div", {}, el("p", {}, words + plans), legend, el("div", { class: "pair" }, times, misses),
    disclosed("The figures as a table", () => table("Predicted and measured", columns, points)),
    regret ? disclosed("Planned and best as a table", () => table("Planned and best", planColumns, regret.points, { sortBy: 6, descending: true })) : "",
    origin(file));
  return [built, paint];
}

/** A section whose data was not given: what makes it. */
function missing(id, heading, what, commands) {
  return section(id, heading, el("p", { class: "empty" }, `Not in this report: ${what}. To have it here:`),
    el("pre", {}, commands.map((command) => `${command}\n`).join("") + "roundel report"));
}
