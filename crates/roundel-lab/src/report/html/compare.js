// Two runs side by side: differences larger than the noise are marked.

function side(name, { name: file, content }) {
  const load = content.load_average.map((value) => value?.toFixed(1) ?? "?").join(" before, ");
  return el("li", {}, el("b", {}, `${name}: `), `${machineLine(content, rowsOf(content))} ${file}, version ${content.version}, ${content.date}, `,
    el("code", {}, content.command), `; ${content.method.rounds} rounds; load average ${load} after.`);
}

function compared(data, registry, header, main) {
  const [a, b] = filesOf(data, "bench");
  document.getElementById("filters").remove();
  const { rule, unit, pairs, only_a: onlyA, only_b: onlyB } = data.comparison;
  const marked = pairs.filter((pair) => pair.marked);
  const [faster, slower] = [marked.filter((pair) => pair.ratio < 1), marked.filter((pair) => pair.ratio > 1)];
  const typical = Math.exp(d3.median(pairs, (pair) => Math.log(pair.ratio)) ?? 0);
  header.replaceChildren(
    el("h1", {}, "Two runs compared"),
    el("ul", { class: "answers" }, side("A", a), side("B", b)),
    el("p", { id: "verdict" }, el("strong", {}, marked.length ? `${marked.length} of ${pairs.length} points differ by more than the noise` : `None of ${pairs.length} points differs by more than the noise`),
      `: in ${faster.length} B is faster, in ${slower.length} slower. Median over all points: B takes ${digits(typical)} times A's ${unit}.`),
    el("p", {}, rule),
    onlyA + onlyB > 0 ? el("p", {}, `${onlyA} points are only in A, ${onlyB} only in B.`) : null,
  );
  const chart = el("div", { class: "chart" });
  const holder = el("div");
  const state = { only: marked.length > 0 };
  const name = (pair) => `${pair.cipher || "copy"}${pair.key_bits ? `-${pair.key_bits}` : ""}`;
  const paint = () => {
    const order = d3.groupSort(pairs, (own) => d3.median(own, (pair) => pair.ratio), name);
    const x = room(pairs.map((pair) => pair.ratio), 0.05);
    draw(chart, `${unit} of B by ${unit} of A for ${pairs.length} points, by cipher`, pairs.length, (width) => {
      const wide = width > 560;
      return {
        height: 50 + order.length * (wide ? 24 : 36), marginLeft: wide ? 160 : 8, marginRight: 16, marginTop: 8,
        x: { type: "log", domain: x, label: `${unit} of B by ${unit} of A (left of 1: B is faster)`, ticks: logTicks(x, width / 60), tickFormat: tick, grid: true },
        y: { domain: order, label: null, axis: wide ? "left" : null },
        marks: [
          Plot.ruleX([1]),
          wide ? null : Plot.text(order, { y: (d) => d, text: (d) => d, frameAnchor: "left", dy: -8, fontWeight: "bold" }),
          Plot.dot(pairs, { x: "ratio", y: name, r: 3.5, dy: wide ? 0 : 6, sort: "marked", stroke: (pair) => (pair.marked ? "var(--c3)" : "var(--quiet)"), fill: (pair) => (pair.marked ? "var(--c3)" : "var(--back)") }),
          tip(pairs, "ratio", name, (pair) => `${name(pair)} ${pair.strategy || pair.library}\n${pair.operation}, ${size(pair.bytes)}${pair.threads ? `, ${pair.threads} threads` : ""}\nA ${spread(pair.a, unit)}\nB ${spread(pair.b, unit)}\nB takes ${digits(pair.ratio)} times; noise ± ${digits(100 * pair.noise)} %${pair.marked ? ": differs" : ""}`),
        ],
      };
    });
  };
  const number = (title, value) => ({ name: title, value, text: (pair) => digits(value(pair)), numeric: true });
  const columns = [
    { name: "cipher", value: (pair) => pair.cipher || "copy" }, { name: "key bits", value: (pair) => pair.key_bits, numeric: true },
    { name: "strategy", value: (pair) => pair.strategy || pair.library || "memcpy" }, { name: "operation", value: (pair) => pair.operation },
    { name: "bytes", value: (pair) => pair.bytes, numeric: true }, { name: "threads", value: (pair) => pair.threads, numeric: true },
    number(`A ${unit}`, (pair) => pair.a.median), number("A ±", (pair) => pair.a.mad),
    number(`B ${unit}`, (pair) => pair.b.median), number("B ±", (pair) => pair.b.mad),
    number("B / A", (pair) => pair.ratio), number("noise ± %", (pair) => 100 * pair.noise),
    { name: "differs", value: (pair) => (pair.marked ? "yes" : "no"), text: (pair) => (pair.marked ? el("mark", {}, "yes") : "no") },
  ];
  const fill = () => holder.replaceChildren(table("Both runs", columns, state.only ? marked : pairs, { sortBy: 10 }));
  const box = el("label", { class: "box" }, el("input", { type: "checkbox", checked: state.only, onchange: (event) => { state.only = event.target.checked; fill(); } }), " only those that differ");
  fill();
  const points = section("points", "Every point of both", el("p", {}, "A dot for each point that both runs have; red: the difference is larger than the noise."), chart, box, holder);
  main.replaceChildren(points, showRaw(data, [[a, rowsOf(a.content)], [b, rowsOf(b.content)]]));
  paint();
  return paint;
}
