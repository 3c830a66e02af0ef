// Cycles per byte against message length, under a kept key and a new one, and where one strategy overtakes another.

/**
 * What a message under a new key costs at each length: measured where it was measured, else the key schedule and the message added up.
 * A list of {strategy, bytes, cycles, measured}.
 */
function underNewKey(kept, fresh, schedules) {
  const measured = new Map(fresh.map((row) => [`${row.contender} ${row.bytes}`, row.cycles.median]));
  const sums = kept.flatMap((row) => {
    const schedule = schedules.get(row.contender);
    const known = measured.get(`${row.contender} ${row.bytes}`);
    if (known === undefined && schedule === undefined) return [];
    return [{ strategy: row.strategy, bytes: row.bytes, cycles: known ?? schedule + row.cycles.median, measured: known !== undefined }];
  });
  return sums;
}

/** A strategy that is cheaper by less than this is taken for equal: measurements scatter. */
const CLEARLY = 0.95;

/** Where another strategy becomes clearly cheaper: [{bytes, from, to}], the length by lines between the measured ones on logarithmic axes. */
function crossovers(costs) {
  const lengths = [...groups(costs, (cost) => cost.bytes)].sort(([a], [b]) => a - b);
  const cycles = (list, strategy) => list.find((cost) => cost.strategy === strategy)?.cycles;
  const changes = [];
  let from = lengths.length ? least(lengths[0][1], (cost) => cost.cycles).strategy : null;
  for (let i = 1; i < lengths.length; i++) {
    const [[shorter, before], [longer, after]] = [lengths[i - 1], lengths[i]];
    const { strategy: to, cycles: fewest } = least(after, (cost) => cost.cycles);
    const own = cycles(after, from);
    if (to === from || fewest > CLEARLY * own) continue;
    const lead = Math.max(0, Math.log(cycles(before, to) / cycles(before, from)));
    const lag = Math.log(own / fewest);
    const share = Number.isFinite(lead + lag) ? lead / (lead + lag) : 0.5;
    changes.push({ bytes: Math.round(shorter * (longer / shorter) ** share), from, to });
    from = to;
  }
  return changes;
}

/** "lookup, from 200 B on ttable". */
function crossoverWords(costs, changes) {
  if (!costs.length) return "";
  const shortest = d3.min(costs, (cost) => cost.bytes);
  const first = least(costs.filter((cost) => cost.bytes === shortest), (cost) => cost.cycles).strategy;
  return `New key: ${[first, ...changes.map((change) => `from ${size(change.bytes)} on ${change.to}`)].join(", ")}.`;
}

/** A card for each cipher with a line for each strategy. */
function showLengths(choice, file) {
  const grid = el("div", { class: "cards" });
  const words = el("p");
  const behind = el("div");
  const hidden = new Map();
  const paint = () => {
    const kept = choice.messages().filter((row) => row.bytes > 0);
    const fresh = choice.rows.filter((row) => row.fresh && choice.takesContender(row) && row.mode === choice.mode && choice.direction === "encrypt");
    const all = [...kept, ...fresh];
    words.textContent = `Core cycles per byte, ${choice.words()}, on one core; both axes are logarithmic and the same for all cards. `
      + (fresh.length ? "Solid: the key is kept; dashed: each message has a new key. " : "")
      + (all.some((row) => row.modelled !== null) ? "Broad and pale behind them: what the profile's model predicts. " : "")
      + "A vertical line marks where, under new keys, another strategy becomes the cheapest (measured, or beyond the measured lengths its key schedule and message added up). A legend entry shows or hides its lines.";
    const domains = {
      x: room(all.map((row) => row.bytes), 0.04),
      y: room(all.flatMap((row) => [row.perByte.median, row.modelled])),
    };
    const schedules = new Map(choice.rows.filter((row) => choice.takesContender(row) && row.operation === scheduleFor(choice))
      .map((row) => [row.contender, row.cycles.median]));
    const found = [];
    deal(grid, [...groups(all, (row) => row.cipher)].map(([cipher, own]) => {
      const parts = { kept: own.filter((row) => !row.fresh), fresh: own.filter((row) => row.fresh) };
      const ours = (row) => row.ours;
      const costs = underNewKey(parts.kept.filter(ours), parts.fresh.filter(ours), schedules);
      const changes = crossovers(costs);
      found.push(...changes.map((change) => ({ cipher, ...change })));
      if (!hidden.has(cipher)) hidden.set(cipher, new Set());
      return lengthCard(cipher, own, parts, changes, crossoverWords(costs, changes), domains, hidden.get(cipher), choice);
    }));
    const columns = [
      { name: "cipher", value: (row) => row.cipher },
      { name: "at about", value: (row) => row.bytes, numeric: true, text: (row) => size(row.bytes) },
      { name: "from", value: (row) => row.from },
      { name: "to", value: (row) => row.to },
    ];
    behind.replaceChildren(
      disclosed("The figures as a table", () => table("Message lengths", pointColumns(), all)),
      disclosed(`The ${found.length} crossovers under new keys as a table`, () => table("Crossovers", columns, found)),
    );
  };
  choice.listeners.push(paint);
  return [section("lengths", "Message length", words, grid, behind, origin(file)), paint];
}

/** CBC and ECB decryption need a schedule of their own. */
function scheduleFor(choice) {
  return choice.direction === "decrypt" && ["ecb", "cbc"].includes(choice.mode) ? "key-both" : "key-encrypt";
}

function lengthCard(cipher, own, parts, changes, words, domains, hidden, choice) {
  const names = [...groups(own, (row) => row.strategy).keys()];
  const holder = el("div", { class: "chart" });
  const legend = el("div", { class: "legend" });
  const stroke = (row) => colour(names.indexOf(row.strategy));
  const dash = (row) => dashes(names.indexOf(row.strategy));
  const paint = (width) => {
    const shown = (rows) => rows.filter((row) => !hidden.has(row.strategy));
    const [kept, fresh] = [shown(parts.kept), shown(parts.fresh)];
    toggles(legend, names, names, hidden, () => paint());
    draw(holder, `${cipher}: cycles per byte against message length, ${names.length} strategies. ${words}`, kept.length + fresh.length, (width) => ({
      height: 240, marginLeft: 40, marginRight: 10, marginTop: 18, marginBottom: 32,
      x: { type: "log", base: 2, domain: domains.x, ticks: sizeTicks(domains.x, width), tickFormat: sizeTick, label: null },
      y: { type: "log", domain: domains.y, ticks: logTicks(domains.y, 7), tickFormat: tick, label: null, grid: true },
      marks: [
        Plot.ruleX(changes, { x: "bytes", strokeOpacity: 0.5 }),
        Plot.text(changes, { x: "bytes", text: (change) => size(change.bytes), frameAnchor: "top", dy: -12, fontSize: 10 }),
        ...names.filter((name) => !hidden.has(name)).flatMap((name) => {
          const line = (rows, more) => Plot.lineY(rows.filter((row) => row.strategy === name), { x: "bytes", y: (row) => row.perByte.median, sort: "bytes", stroke, ...more });
          const model = (rows) => line(rows.filter((row) => row.modelled !== null), { y: "modelled", ariaDescription: "model", strokeWidth: 6, strokeOpacity: 0.25 });
          return [model(kept), model(fresh), line(kept, { strokeDasharray: dash({ strategy: name }) }), line(fresh, { strokeDasharray: "3 3", strokeOpacity: 0.8 })];
        }),
        Plot.dot([...kept, ...fresh], { x: "bytes", y: (row) => row.perByte.median, r: 3, stroke, fill: (row) => (row.fresh ? "var(--back)" : stroke(row)) }),
        tip([...kept, ...fresh], "bytes", (row) => row.perByte.median, hover),
      ],
    }), width);
  };
  const figure = el("figure", { class: "card" }, el("figcaption", {}, cardTitle(cipher, own, choice)), legend, holder, el("p", { class: "note" }, words));
  return { figure, holder, paint };
}

/** Key schedules: a row of dots for each cipher. */
function showSchedules(choice, file) {
  const holder = el("div", { class: "chart" });
  const behind = el("div");
  const paint = () => {
    const rows = choice.rows.filter((row) => row.operation === "key-encrypt" && choice.takesContender(row));
    const order = d3.groupSort(rows, (own) => d3.min(own, (row) => row.cycles.median), (row) => row.cipher);
    const x = room(rows.map((row) => row.cycles.median));
    draw(holder, `Cycles of a key schedule, ${rows.length} strategies of ${order.length} ciphers`, rows.length, (width) => {
      const wide = width > 560;
      return {
        height: 50 + order.length * (wide ? 20 : 34), marginLeft: wide ? 150 : 8, marginRight: 16, marginTop: 8,
        x: { type: "log", domain: x, label: "cycles", ticks: logTicks(x, width / 60), tickFormat: tick, grid: true },
        y: { domain: order, label: null, axis: wide ? "left" : null },
        marks: [
          Plot.ruleY(order, { strokeOpacity: 0.12, dy: wide ? 0 : 6 }),
          wide ? null : Plot.text(order, { y: (d) => d, text: (d) => d, frameAnchor: "left", dy: -8, fontWeight: "bold" }),
          Plot.dot(rows, { x: (row) => row.cycles.median, y: "cipher", r: 4, dy: wide ? 0 : 6, strokeWidth: 2, stroke: "var(--c0)", fill: (row) => (row.constantTime ? "var(--c0)" : "var(--back)") }),
          tip(rows, (row) => row.cycles.median, "cipher", hover),
        ],
      };
    });
    behind.replaceChildren(disclosed("The figures as a table", () => table("Key schedules", pointColumns().filter((column) => !/byte|GB|least|most|±/.test(column.name)), rows, { sortBy: 6 })));
  };
  choice.listeners.push(paint);
  const words = "Core cycles from a key to a kernel that can encrypt, made and dropped. A dot for each strategy; filled: timing does not depend on secrets.";
  return [section("schedules", "Key schedules", el("p", {}, words), holder, behind, origin(file)), paint];
}
