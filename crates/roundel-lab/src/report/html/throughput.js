// Every cipher at its best, and the strategies of each side by side.

/** The fastest strategy of each cipher, beside the memory's limit. */
function showThroughput(choice, file, rows) {
  const holder = el("div", { class: "chart" });
  const legend = el("div", { class: "legend" });
  const words = el("p");
  const behind = el("div");
  const hidden = new Set();
  const kinds = ["fastest, constant-time", "fastest, timing depends on secrets", "fastest constant-time", "other library"];
  const paint = () => {
    const at = choice.atLength();
    const shown = [];
    for (const [cipher, own] of groups(at, (row) => row.cipher)) {
      const ours = own.filter((row) => row.ours);
      const fastest = least(ours, (row) => row.perByte.median);
      const constant = least(ours.filter((row) => row.constantTime), (row) => row.perByte.median);
      if (fastest) shown.push({ ...fastest, place: cipher, kind: fastest.constantTime ? kinds[0] : kinds[1] });
      if (constant && constant !== fastest) shown.push({ ...constant, place: cipher, kind: kinds[2] });
      own.filter((row) => !row.ours).forEach((row) => shown.push({ ...row, place: cipher, kind: kinds[3] }));
    }
    const copy = longestUpTo(rows.filter((row) => row.operation === "copy" && row.threads === 0), choice.bytes).pop();
    const visible = shown.filter((row) => !hidden.has(row.kind));
    words.textContent = `${choice.words()} of ${size(choice.bytes)} messages (or the longest measured) on one core. `
      + (copy ? `The dashed line is memcpy of ${size(copy.bytes)}: ${digits(copy.gbps)} GB/s, what a cipher that cost nothing would do.` : "");
    toggles(legend, kinds.filter((kind) => shown.some((row) => row.kind === kind)), kinds, hidden, paint);
    const order = d3.groupSort(shown, (own) => -d3.max(own, (row) => row.gbps), (row) => row.place);
    const x = room([...shown.map((row) => row.gbps), ...(copy ? [copy.gbps] : [])]);
    draw(holder, `Throughput of ${order.length} ciphers in GB/s on a logarithmic axis, fastest first`, visible.length, (width) => {
      const wide = width > 560;
      return {
        height: 50 + order.length * (wide ? 26 : 38),
        marginLeft: wide ? 150 : 8,
        marginRight: 16,
        marginTop: 8,
        x: { type: "log", domain: x, label: "GB/s (10⁹ bytes per second)", ticks: logTicks(x, width / 60), tickFormat: tick, grid: true },
        y: { domain: order, label: null, axis: wide ? "left" : null, padding: 0.4 },
        marks: [
          copy ? Plot.ruleX([copy.gbps], { strokeDasharray: "5 4" }) : null,
          Plot.ruleY(order, { strokeOpacity: 0.12, dy: wide ? 0 : 6 }),
          wide ? null : Plot.text(order, { y: (d) => d, text: (d) => `${d}: ${shown.find((row) => row.place === d).strategy}`, frameAnchor: "left", dy: -8, ...HALO }),
          Plot.dot(visible, {
            x: "gbps", y: "place", r: 5, dy: wide ? 0 : 6, strokeWidth: 2,
            fill: (row) => (row.kind === kinds[2] || row.kind === kinds[3] ? "var(--back)" : colour(kinds.indexOf(row.kind))),
            stroke: (row) => colour(kinds.indexOf(row.kind)),
          }),
          ...(wide ? names(labelled(visible), Math.sqrt(x[0] * x[1])) : []),
          tip(visible, "gbps", "place", hover),
        ],
      };
    });
    behind.replaceChildren(disclosed("The figures as a table", () => table("Throughput", pointColumns(copy), shown)));
  };
  choice.listeners.push(paint);
  return [section("throughput", "Every cipher at its best", words, legend, holder, behind, origin(file)), paint];
}

/** The dots that stand alone, so that a name beside them is theirs. */
function labelled(rows) {
  return [...groups(rows, (row) => row.place).values()].flatMap((own) => own.filter((row) => own.every((other) => other === row || Math.abs(Math.log(other.gbps / row.gbps)) > 3)));
}

/** Names of strategies beside their dots, towards the middle of the chart. */
function names(rows, middle) {
  const options = { x: "gbps", y: "place", text: "strategy", fillOpacity: 0.75 };
  return [
    Plot.text(rows.filter((row) => row.gbps >= middle), { ...options, ...HALO, textAnchor: "end", dx: -10 }),
    Plot.text(rows.filter((row) => row.gbps < middle), { ...options, ...HALO, textAnchor: "start", dx: 10 }),
  ];
}

/** Legend entries that show and hide. */
function toggles(holder, names, all, hidden, paint) {
  holder.replaceChildren(...names.map((name) => {
    const index = all.indexOf(name);
    const click = () => {
      if (!hidden.delete(name)) hidden.add(name);
      paint();
      [...holder.children].find((button) => button.dataset.name === name)?.focus();
    };
    const swatch = el("span", { class: `swatch dash${Math.floor(index / COLOURS) % 3}`, style: `--swatch: ${colour(index)}`, "aria-hidden": "true" });
    return el("button", { type: "button", "data-name": name, "aria-pressed": String(!hidden.has(name)), onclick: click }, swatch, name);
  }));
}

/** Columns of tables of points, each with its origin: samples, median, spread. */
function pointColumns(copy) {
  const number = (name, value, title, text) => ({ name, value, title, numeric: true, text: text ?? ((row) => digits(value(row))) });
  return [
    { name: "cipher", value: (row) => row.cipher },
    number("key bits", (row) => row.keyBits, null, (row) => row.keyBits || ""),
    { name: "strategy", value: (row) => row.strategy },
    { name: "constant time", value: (row) => (row.constantTime ? "yes" : "no") },
    { name: "operation", value: (row) => row.operation },
    number("bytes", (row) => row.bytes, null, (row) => row.bytes),
    number("threads", (row) => row.threads, "0: one thread, by its CPU time; otherwise by the wall clock", (row) => row.threads),
    number("cycles/byte", (row) => row.perByte?.median, "median"),
    number("±", (row) => row.perByte?.mad, "median absolute deviation of cycles/byte"),
    number("least", (row) => row.perByte?.min, "smallest sample, cycles/byte"),
    number("most", (row) => row.perByte?.max, "largest sample, cycles/byte"),
    number("cycles", (row) => row.cycles.median, "cycles per call, median"),
    number("ns", (row) => row.ns.median, "nanoseconds per call, median"),
    number("GB/s", (row) => row.gbps),
    ...(copy ? [number("of memcpy", (row) => (row.gbps ? row.gbps / copy.gbps : null), "rate as a part of memcpy's")] : []),
    number("samples", (row) => row.samples, null, (row) => row.samples),
    number("checks", (row) => row.checks, "comparisons passed in the same run before it was timed", (row) => row.checks),
  ];
}

/** A card for each cipher: its strategies with median and range, on one axis for all cards. */
function showStrategies(choice, file) {
  const grid = el("div", { class: "cards" });
  const words = el("p");
  const behind = el("div");
  const paint = () => {
    const at = choice.atLength();
    words.textContent = `Core cycles per byte, ${choice.words()} of ${size(choice.bytes)} messages: less is better. Dot: median; bar: smallest to largest sample. `
      + "Filled: timing does not depend on secrets; hollow: it does. All cards have the same axis.";
    const x = room(at.flatMap((row) => [row.perByte.median]), 0.12);
    deal(grid, [...groups(at, (row) => row.cipher)].map(([cipher, own]) => strategyCard(cipher, own, x, choice)));
    behind.replaceChildren(disclosed("The figures as a table", () => table("Strategies", pointColumns(), at, { sortBy: 7 })));
  };
  const absent = file.content.unavailable.map((strategy) => `${strategy.cipher} ${strategy.strategy} (needs ${strategy.needs})`);
  const left = absent.length ? el("p", { class: "note" }, `Not measured: ${absent.join(", ")}.`) : null;
  choice.listeners.push(paint);
  return [section("strategies", "Strategies side by side", words, grid, left, behind, origin(file, "Blue: roundel; red: other libraries in the same run.")), paint];
}

function strategyCard(cipher, own, x, choice) {
  const holder = el("div", { class: "chart" });
  const order = own.slice().sort((a, b) => a.perByte.median - b.perByte.median);
  const names = order.map((row) => row.strategy);
  const median = (row) => row.perByte.median;
  const stroke = (row) => (row.ours ? "var(--c0)" : "var(--c3)");
  const options = (width) => ({
    height: 34 + 30 * names.length, marginLeft: 6, marginRight: 14, marginTop: 4, marginBottom: 28,
    x: { type: "log", domain: x, ticks: logTicks(x, width / 50), tickFormat: tick, label: null, grid: true },
    y: { domain: names, axis: null },
    marks: [
      Plot.text(order, { y: "strategy", text: (row) => `${row.strategy}  ${digits(median(row))}`, frameAnchor: "left", dy: -8, ...HALO }),
      Plot.ruleY(order, { y: "strategy", x1: (row) => Math.max(row.perByte.min, x[0]), x2: (row) => Math.min(row.perByte.max, x[1]), dy: 6, stroke, strokeWidth: 2, strokeOpacity: 0.5 }),
      Plot.dot(order, { y: "strategy", x: median, dy: 6, r: 4.5, strokeWidth: 2, stroke, fill: (row) => (row.constantTime ? stroke(row) : "var(--back)") }),
      tip(order, median, "strategy", hover),
    ],
  });
  const paint = (width) => draw(holder, `${cipher}: cycles per byte of ${own.length} strategies; fastest: ${names[0]}`, own.length, options, width);
  return { figure: el("figure", { class: "card" }, el("figcaption", {}, cardTitle(cipher, own, choice)), holder), holder, paint };
}

/** Cipher, key length and what is known of its standing. */
function cardTitle(cipher, own, choice) {
  const entry = choice.registry.get(cipher);
  const standing = entry && entry.standing !== "sound" ? el("span", { class: "standing", title: entry.standing_note }, entry.standing) : null;
  return [el("b", { title: entry?.title }, `${cipher} ${own[0].keyBits}`), standing ? " " : null, standing];
}
