// The embedded data, and what is derived from it once: a flat list of measured points with their statistics.

/** The embedded document: {generator, made, command, ciphers, files: [{name, kind, content}], comparison}. */
async function embedded() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Median, deviation and ends of some numbers, as stats.rs defines them. */
function summary(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = (list) => (list[(list.length - 1) >> 1] + list[list.length >> 1]) / 2;
  const median = middle(sorted);
  const mad = middle(sorted.map((value) => Math.abs(value - median)).sort());
  return { min: sorted[0], median, mad, max: sorted[sorted.length - 1] };
}

function scaled(s, factor) {
  return { min: s.min * factor, median: s.median * factor, mad: s.mad * factor, max: s.max * factor };
}

/** Mode and direction of an operation's name: "gcm-encrypt" is gcm one way, "ctr" is the same both ways, "fresh-ctr" is CTR under a new key. */
function taken(operation) {
  const [first, second] = operation.split("-");
  if (first === "fresh") return { mode: second, direction: "encrypt", fresh: true };
  if (second === undefined) return { mode: first, direction: "both", fresh: false };
  return { mode: first, direction: second, fresh: false };
}

/** A flat row for each point of a benchmark, with what the profile predicts where it was given. */
function rowsOf(bench, predictions = []) {
  return bench.points.map((point, index) => {
    const contender = point.contender === null ? null : bench.contenders[point.contender];
    const ours = contender !== null && contender.library.startsWith("roundel ");
    const cycles = summary(point.ns.map((ns, i) => ns * point.ghz[i]));
    const ns = summary(point.ns);
    return {
      index,
      contender: point.contender,
      library: contender?.library ?? "",
      cipher: contender?.cipher ?? "copy",
      strategy: contender === null ? "memcpy" : ours ? contender.strategy : `${contender.library} ${contender.strategy}`.trim(),
      ours,
      constantTime: contender?.constant_time ?? true,
      checks: contender?.checks ?? 0,
      keyBits: point.key_bits,
      operation: point.operation,
      ...taken(point.operation),
      bytes: point.bytes,
      threads: point.threads,
      samples: point.ns.length,
      calls: point.calls,
      ns,
      cycles,
      predicted: predictions[index] ?? null,
      modelled: predictions[index] > 0 && point.bytes > 0 ? ((predictions[index] / ns.median) * cycles.median) / point.bytes : null,
      perByte: point.bytes > 0 ? scaled(cycles, 1 / point.bytes) : null,
      gbps: point.bytes > 0 ? (point.bytes * Math.max(point.threads, 1)) / ns.median : null,
    };
  });
}

/** Files of one kind, in the order in which they were given. */
function filesOf(data, kind) {
  return data.files.filter((file) => file.kind === kind);
}

/** Splits a list by a key, keeping the order in which keys first come. */
function groups(list, key) {
  const map = new Map();
  for (const item of list) {
    const name = key(item);
    if (!map.has(name)) map.set(name, []);
    map.get(name).push(item);
  }
  return map;
}

/** The row with the least value; undefined of none. */
function least(rows, value) {
  return rows.reduce((best, row) => (best === undefined || value(row) < value(best) ? row : best), undefined);
}

/** Of each contender at each key length, the row of its longest message up to `bytes`. */
function longestUpTo(rows, bytes) {
  const kept = new Map();
  for (const row of rows) {
    if (row.bytes > bytes || row.bytes === 0) continue;
    const key = `${row.contender} ${row.keyBits} ${row.operation} ${row.threads}`;
    const other = kept.get(key);
    if (!other || other.bytes < row.bytes) kept.set(key, row);
  }
  return [...kept.values()];
}

// Figures as text.

/** Three digits, as the terminal shows them; of very small values too. */
function digits(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  const size = Math.abs(value);
  if (size > 0 && size < 0.0005) return value.toPrecision(3);
  const decimals = size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return value.toFixed(decimals);
}

function size(bytes) {
  for (const [unit, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (bytes >= unit && bytes % unit === 0) return `${bytes / unit} ${name}`;
  }
  return `${bytes} B`;
}

function duration(ns) {
  const [unit, name] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${digits(ns / unit)} ${name}`;
}

/** Median and spread in words. */
function spread(s, unit) {
  return `${digits(s.median)} ${unit} ± ${digits(s.mad)} (${digits(s.min)} to ${digits(s.max)})`;
}

/** What a point was, in words. */
function described(row) {
  const names = { copy: "memcpy", sectors: "XTS, 512-byte units", key: "key schedule" };
  const mode = names[row.mode] ?? row.mode.toUpperCase();
  const way = row.direction === "both" && row.mode !== "key" ? "" : ` ${row.direction}`;
  return `${mode}${way}${row.fresh ? " under a new key" : ""}`;
}

/** By how many per cent of what was measured the model is off. */
function errorOf(row) {
  return 100 * (row.predicted / row.ns.median - 1);
}

/** Everything that is known of a point, for tips. */
function hover(row) {
  const lines = [`${row.cipher}${row.keyBits ? `-${row.keyBits}` : ""} ${row.strategy}`];
  lines.push(`${described(row)}${row.bytes ? `, ${size(row.bytes)}` : ""}${row.threads ? `, ${row.threads} threads` : ""}`);
  if (row.perByte && row.threads === 0) lines.push(spread(row.perByte, "cycles/byte"));
  if (row.bytes === 0) lines.push(spread(row.cycles, "cycles"));
  lines.push(`${duration(row.ns.median)}${row.gbps ? `, ${digits(row.gbps)} GB/s` : ""}`);
  lines.push(`median ± deviation (range) of ${row.samples} samples`);
  if (row.predicted !== null) lines.push(`model: ${duration(row.predicted)}, ${errorOf(row).toFixed(1)} % off`);
  return lines.join("\n");
}
