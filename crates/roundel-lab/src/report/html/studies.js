// Published tables beside ours, all in one shape: that of studies/sheet.rs.

const STUDIES = [
  ["elephant-2008", "BitLocker's Elephant diffuser (2008): cycles per sector, layer by layer"],
  ["aes-candidates-1999", "The candidates for AES (1999): known answers and Monte Carlo chains"],
  ["twofish-keying-1999", "Twofish's keying options (1999): one message under a new key"],
  ["aes-32bit-2002", "AES on 32-bit processors (2002): bytes, tables, words"],
  ["parallel-aes-2011", "AES on two cores (2011): seconds for files, and a model"],
];

function showStudies(data) {
  const files = filesOf(data, "study");
  const paints = [];
  const parts = STUDIES.map(([name, title]) => {
    const file = files.find((candidate) => candidate.content.study === name);
    const sheet = file?.content.sheet;
    const id = `study-${name}`;
    const heading = el("h3", { id: `${id}-heading` }, title);
    if (!sheet) {
      return el("article", { id, "aria-labelledby": `${id}-heading` }, heading, el("p", { class: "empty" }, "Not in this report. To have it here:"),
        el("pre", {}, `roundel study ${name} --json > roundel-${name}.json\nroundel report`));
    }
    const { content } = file;
    const quick = content.quick ? el("p", { class: "warning" }, "A quick run: of fewer samples, or scaled from a part of the work.") : null;
    return el("article", { id, "aria-labelledby": `${id}-heading` }, heading, quick,
      el("p", {}, el("b", {}, "Published: "), sheet.source), el("p", {}, el("b", {}, "Ours: "), sheet.method),
      ...sheet.tables.flatMap((part) => studyTable(name, part, paints)),
      el("p", {}, "Reproduce: ", el("code", {}, `roundel study ${name}`)),
      origin(file, `${content.machine?.cpu ?? ""}${content.load_average?.[0] == null ? "" : `, load average ${content.load_average.map((load) => load?.toFixed(1) ?? "?").join(" before, ")} after`}.`));
  });
  const built = section("studies", "Published tables beside ours", ...parts);
  return [built, () => paints.forEach((paint) => paint())];
}

/** A chart of one table of a study, and the table itself. */
function studyTable(study, part, paints) {
  const holder = el("div", { class: part.chart === "stack" ? "pair" : "chart" });
  const legend = el("div", { class: "legend" });
  const series = [...groups(part.rows, (row) => row.series).keys()];
  const hidden = new Set();
  const kinds = { ratios: drawRatios, lines: drawLines, stack: drawStack };
  const paint = () => {
    const shown = part.rows.filter((row) => !hidden.has(row.series));
    toggles(legend, series, series, hidden, paint);
    legend.hidden = series.length < 2;
    kinds[part.chart](holder, part, shown, series);
  };
  paints.push(paint);
  const most = (row) => (row.published === null ? "" : `${row.at_least ? "> " : ""}${row.published}`);
  const columns = [
    { name: part.label, value: (row) => row.label },
    ...(series.length > 1 || series[0] ? [{ name: part.series, value: (row) => row.series }] : []),
    { name: `published, ${part.published_unit}`, value: (row) => row.published, text: most, numeric: true },
    { name: `ours, ${part.our_unit}`, value: (row) => row.ours, text: (row) => digits(row.ours), numeric: true },
    { name: "times as fast", value: (row) => row.ratio, text: (row) => (row.ratio === null ? "" : `${row.at_least ? "> " : ""}${digits(row.ratio)}`), numeric: true },
    ...(part.rows.some((row) => row.note) ? [{ name: "note", value: (row) => row.note }] : []),
  ];
  const key = part.chart === "lines" ? el("p", { class: "note" }, "Dashed with hollow dots: published; solid: ours.") : "";
  return [el("h4", {}, part.caption), key, legend, holder, el("details", { class: "behind", open: true }, el("summary", {}, "The published table and ours"), table(`${study}: ${part.caption}`, columns, part.rows))];
}

function studyHover(part) {
  return (row) => [`${row.label}${row.series ? `, ${row.series}` : ""}`,
    row.published === null ? "" : `published ${row.at_least ? "more than " : ""}${row.published} ${part.published_unit}`,
    row.ours === null ? "" : `ours ${digits(row.ours)} ${part.our_unit}`,
    row.ratio === null ? "" : `${row.at_least ? "more than " : ""}${digits(row.ratio)} times as fast`, row.note ?? ""].filter(Boolean).join("\n");
}

/** A dot for each row: how many times as fast. */
function drawRatios(holder, part, rows, series) {
  const known = rows.filter((row) => row.ratio > 0);
  const order = d3.groupSort(known, (own) => -d3.max(own, (row) => row.ratio), (row) => row.label);
  const x = room(known.map((row) => row.ratio));
  draw(holder, `${part.caption}: times as fast as published, ${order.length} rows on a logarithmic axis`, known.length, (width) => {
    const wide = width > 560;
    return {
      height: 50 + order.length * (wide ? 22 : 36), marginLeft: wide ? 184 : 8, marginRight: 16, marginTop: 8,
      x: { type: "log", domain: x, label: "times as fast as published", ticks: logTicks(x, width / 60), tickFormat: tick, grid: true },
      y: { domain: order, label: null, axis: wide ? "left" : null },
      marks: [
        x[0] < 1 && x[1] > 1 ? Plot.ruleX([1], { strokeDasharray: "5 4" }) : null,
        Plot.ruleY(order, { strokeOpacity: 0.12, dy: wide ? 0 : 6 }),
        wide ? null : Plot.text(order, { y: (d) => d, text: (d) => d, frameAnchor: "left", dy: -8, fontWeight: "bold" }),
        Plot.dot(known, { x: "ratio", y: "label", r: 4.5, dy: wide ? 0 : 6, strokeWidth: 2, stroke: (row) => colour(series.indexOf(row.series)), fill: (row) => (row.at_least ? "var(--back)" : colour(series.indexOf(row.series))) }),
        tip(known, "ratio", "label", studyHover(part)),
      ],
    };
  });
}

/** Published dashed, ours solid, against the rows' x. */
function drawLines(holder, part, rows, series) {
  const points = rows.flatMap((row) => [{ ...row, who: "published", value: row.published }, { ...row, who: "ours", value: row.ours }]).filter((point) => point.value > 0 && point.x > 0);
  const [x, y] = [room(points.map((point) => point.x), 0.03), room(points.map((point) => point.value))];
  draw(holder, `${part.caption}: published and ours against ${part.label}`, points.length, (width) => ({
    height: 320, marginLeft: 52,
    x: { type: "log", domain: x, label: part.label, ticks: logTicks(x, width / 90), tickFormat: tick },
    y: { type: "log", domain: y, label: part.our_unit, ticks: logTicks(y, 8), tickFormat: tick, grid: true },
    marks: [
      Plot.lineY(points, { x: "x", y: "value", z: (point) => `${point.series} ${point.who}`, stroke: (point) => colour(series.indexOf(point.series)), strokeDasharray: "5 4", filter: (point) => point.who === "published" }),
      Plot.lineY(points, { x: "x", y: "value", z: (point) => `${point.series} ${point.who}`, stroke: (point) => colour(series.indexOf(point.series)), filter: (point) => point.who === "ours" }),
      Plot.dot(points, { x: "x", y: "value", r: 3.5, stroke: (point) => colour(series.indexOf(point.series)), fill: (point) => (point.who === "ours" ? colour(series.indexOf(point.series)) : "var(--back)") }),
      tip(points, "x", "value", (point) => `${studyHover(part)(point)}\n(${point.who})`),
    ],
  }));
}

/** Layers on top of each other: published and ours beside each other, each on an axis of its own, or one would be too small to see. */
function drawStack(holder, part, rows, series) {
  const sides = [["published", part.published_unit], ["ours", part.our_unit]];
  if (!holder.children.length) holder.append(...sides.map(() => el("div", { class: "chart" })));
  sides.forEach(([who, unit], index) => {
    const bars = rows.filter((row) => row[who] > 0);
    const order = [...groups(bars, (bar) => bar.label).keys()];
    const totals = [...d3.rollup(bars, (own) => d3.sum(own, (bar) => bar[who]), (bar) => bar.label)];
    const stacked = { x: who, y: "label", z: "series", order: series };
    draw(holder.children[index], `${part.caption}: layers stacked, ${who}`, bars.length, () => ({
      height: 50 + order.length * 42, marginLeft: 8, marginRight: 60, marginTop: 8,
      x: { label: `${who}, ${unit}`, grid: true, tickFormat: tick, ticks: 5 },
      y: { domain: order, axis: null },
      marks: [
        Plot.barX(bars, { ...stacked, fill: (bar) => colour(series.indexOf(bar.series)), insetTop: 16 }),
        Plot.text(order, { y: (d) => d, text: (d) => d, frameAnchor: "left", dx: 4, dy: -10 }),
        Plot.text(totals, { x: (d) => d[1], y: (d) => d[0], text: (d) => (d[1] < 100 ? digits(d[1]) : Math.round(d[1]).toLocaleString("en")), textAnchor: "start", dx: 4, dy: 8 }),
        Plot.tip(bars, Plot.pointerY(Plot.stackX({ ...stacked, title: studyHover(part) }))),
        Plot.ruleX([0]),
      ],
    }));
  });
}
