// The page: reads the data, builds the sections, draws again when the choice or the width changes.

/** Every point with its origin, and the files as they were. */
function showRaw(data, benches) {
  const buttons = data.files.map((file) => download(`${file.name} (JSON)`, file.name.replace(/\.[^.]*$/, "") + ".json", "application/json",
    () => `${JSON.stringify(file.content, null, 1)}\n`));
  const name = (file) => file.name.replace(/\.[^.]*$/, "");
  const tables = benches.map(([file, rows]) => download(`${name(file)} (CSV: medians and spread)`, `${name(file)}.csv`, "text/csv", () => csv(csvColumns(), rows)));
  const samples = benches.map(([file]) => download(`${name(file)} (CSV: every sample)`, `${name(file)}-samples.csv`, "text/csv", () => sampleCsv(file.content)));
  const all = benches.map(([file, rows]) => disclosed(`All ${rows.length} points of ${file.name} as a table`, () => table(`All points of ${file.name}`, pointColumns(), rows)));
  return section("raw", "Raw data", el("p", {}, data.keep > 1 ? `The run is too long for a report: of its samples every ${data.keep}th is inside this file, and figures here are of those.` : "All samples are inside this file."), el("p", { class: "buttons" }, [...buttons, ...tables, ...samples].flatMap((button) => [button, " "])), ...all);
}

/** The columns of report/csv.rs. */
function csvColumns() {
  const of = (name, value) => ({ name, value });
  return [
    of("library", (row) => row.library), of("cipher", (row) => (row.contender === null ? "" : row.cipher)), of("strategy", (row) => (row.ours ? row.strategy : "")),
    of("constant_time", (row) => row.constantTime), of("key_bits", (row) => row.keyBits), of("operation", (row) => row.operation),
    of("bytes", (row) => row.bytes), of("threads", (row) => row.threads), of("samples", (row) => row.samples), of("calls", (row) => row.calls),
    of("ns_median", (row) => row.ns.median), of("ns_mad", (row) => row.ns.mad), of("ns_min", (row) => row.ns.min), of("ns_max", (row) => row.ns.max),
    of("cycles_median", (row) => row.cycles.median), of("cycles_mad", (row) => row.cycles.mad), of("cycles_min", (row) => row.cycles.min), of("cycles_max", (row) => row.cycles.max),
  ];
}

function sampleCsv(bench) {
  const samples = bench.points.flatMap((point, index) => point.ns.map((ns, i) => ({ point, index, ns, ghz: point.ghz[i] })));
  const contender = (sample) => (sample.point.contender === null ? null : bench.contenders[sample.point.contender]);
  const of = (name, value) => ({ name, value });
  return csv([
    of("point", (s) => s.index), of("library", (s) => contender(s)?.library), of("cipher", (s) => contender(s)?.cipher), of("strategy", (s) => contender(s)?.strategy),
    of("key_bits", (s) => s.point.key_bits), of("operation", (s) => s.point.operation), of("bytes", (s) => s.point.bytes), of("threads", (s) => s.point.threads),
    of("ns", (s) => s.ns), of("ghz", (s) => s.ghz),
  ], samples);
}

function contents(sections) {
  const links = sections.map((part) => el("li", {}, el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
  return el("nav", { "aria-label": "Sections" }, el("ul", {}, links));
}

/** Draws again when the width has changed. */
function onResize(paint) {
  let width = innerWidth;
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (innerWidth === width) return;
      width = innerWidth;
      paint();
    }, 120);
  });
}

function single(data, registry, header, main) {
  const [file] = filesOf(data, "bench");
  const parts = [];
  const form = document.getElementById("filters");
  const rows = file ? rowsOf(file.content, file.predictions ?? []) : [];
  const choice = file ? new Choice(rows, registry) : null;
  if (file) {
    showAnswer(header, file, rows, registry);
    showFilters(form, choice);
    parts.push(showThroughput(choice, file, rows), showStrategies(choice, file), showLengths(choice, file), showSchedules(choice, file), showScaling(choice, file, rows));
  } else {
    form.remove();
    header.replaceChildren(el("h1", {}, "roundel report"));
    parts.push([missing("throughput", "Measurement", "what the ciphers do on this machine", ["roundel bench"]), () => {}]);
  }
  parts.push(showModel(data, choice, rows), showStudies(data));
  const others = filesOf(data, "bench").slice(1).map((other) => [other, rowsOf(other.content)]);
  const sections = [...parts.map(([built]) => built), showProof(data), showRaw(data, file ? [[file, rows], ...others] : [])];
  main.replaceChildren(contents(sections), ...sections);
  const paint = () => parts.forEach(([, draws]) => draws());
  paint();
  return paint;
}

async function start() {
  const data = await embedded();
  const registry = new Map(data.ciphers.map((cipher) => [cipher.name, cipher]));
  const [header, main] = ["top", "main"].map((id) => document.getElementById(id));
  const paint = (data.comparison ? compared : single)(data, registry, header, main);
  onResize(paint);
  document.getElementById("foot").replaceChildren(el("p", {}, `Made by ${data.generator} on ${data.made} with `, el("code", {}, data.command),
    ". Charts by Observable Plot and D3 (ISC licence), both inside this file."));
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  document.getElementById("main").replaceChildren(el("p", { class: "warning" }, `This report cannot be shown: ${error.message}`));
  throw error;
});
