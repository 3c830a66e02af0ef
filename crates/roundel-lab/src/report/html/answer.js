// What a reader wants first: the machine, and what to run on it.

/** "AMD EPYC: 2 cores at 3.15 GHz as measured, ...". */
function machineLine(bench, rows) {
  const { machine, clock_ghz: clock } = bench;
  const copy = rows.filter((row) => row.operation === "copy");
  const far = copy.filter((row) => row.threads > 0);
  const memory = far.map((row) => `${digits(row.gbps)} GB/s on ${row.threads === 1 ? "one core" : `${row.threads} cores`}`);
  const facts = [
    `${machine.cores} cores${machine.virtual_machine ? " of a virtual machine" : ""} at ${clock.median.toFixed(2)} GHz as measured`,
    `CPU level ${machine.level} (of ${machine.levels.join(", ")})`,
    `${machine.caches.join(", ")}, ${(machine.memory_mib / 1024).toFixed(0)} GiB of memory`,
    memory.length ? `memcpy of ${size(far[0].bytes)}: ${memory.join(", ")}` : null,
  ];
  return `${machine.cpu || machine.architecture} (${machine.family_model_stepping}): ${facts.filter(Boolean).join("; ")}.`;
}

/** The fastest of these rows among sound ciphers and, if asked, constant-time strategies of roundel's own. */
function best(rows, registry, { constantTime = true, value = (row) => row.ns.median / row.bytes } = {}) {
  const sound = (row) => registry.get(row.cipher)?.standing === "sound" && row.ours;
  return least(rows.filter((row) => sound(row) && (row.constantTime || !constantTime)), value);
}

function named(row) {
  return el("strong", {}, `${row.cipher}-${row.keyBits} with ${row.strategy}`);
}

function bulkAnswer(rows, registry) {
  const messages = rows.filter((row) => row.threads === 0 && !row.fresh && row.bytes > 0 && row.bytes <= 16384);
  const of = (operation) => best(longestUpTo(messages.filter((row) => row.operation === operation), 16384), registry);
  const gcm = of("gcm-encrypt");
  const row = gcm ?? of("ctr") ?? of("ecb-encrypt");
  if (!row) return null;
  const copy = longestUpTo(rows.filter((r) => r.operation === "copy" && r.threads === 0), row.bytes).pop();
  const share = copy ? `, ${digits((100 * row.gbps) / copy.gbps)} % of memcpy's rate` : "";
  const ctr = gcm ? of("ctr") : null;
  const plain = ctr ? ` Without authentication, CTR: ${ctr.cipher}-${ctr.keyBits} with ${ctr.strategy}, ${digits(ctr.gbps)} GB/s.` : "";
  return el("li", {}, el("b", {}, "Bulk data: "), named(row), ` in ${row.mode.toUpperCase()}: ${digits(row.gbps)} GB/s on one core `
    + `(${digits(row.perByte.median)} cycles/byte, ${size(row.bytes)} messages)${share}.${plain}`);
}

function smallAnswer(rows, registry) {
  const fresh = rows.filter((row) => row.fresh && row.bytes >= 48 && row.bytes <= 64);
  const row = best(fresh.filter((r) => r.mode === "gcm"), registry) ?? best(fresh, registry);
  if (!row) return null;
  const leaky = best(fresh.filter((r) => r.mode === row.mode), registry, { constantTime: false });
  const note = leaky && leaky !== row
    ? ` ${leaky.cipher}-${leaky.keyBits} with ${leaky.strategy} takes ${duration(leaky.ns.median)}, but its timing depends on secrets.` : "";
  return el("li", {}, el("b", {}, "Small messages, each under a new key: "), named(row),
    ` in ${row.mode.toUpperCase()}: ${duration(row.ns.median)} for ${size(row.bytes)} with its key schedule.${note}`);
}

function sectorAnswer(rows, registry) {
  const exact = (row) => row.threads === 0 && row.bytes > 0 && row.bytes <= 4096;
  const units = rows.filter((row) => row.mode === "sectors" && row.direction === "encrypt" && row.threads === 0);
  const one = longestUpTo(rows.filter((row) => row.operation === "xts-encrypt" && exact(row)), 4096);
  const row = best(units.length ? longestUpTo(units, 16384) : one, registry);
  if (!row) return null;
  const unit = row.mode === "sectors" ? "512-byte sectors" : `sectors of ${size(row.bytes)}`;
  return el("li", {}, el("b", {}, "Sectors: "), named(row), ` in XTS: ${digits(row.gbps)} GB/s on one core, ${unit} `
    + `(${digits(row.perByte.median)} cycles/byte). XTS hides what a sector holds; it does not notice changes.`);
}

function caveat(bench, rows, registry) {
  const ours = bench.contenders.filter((contender) => contender.library.startsWith("roundel "));
  const leaking = ours.filter((contender) => !contender.constant_time);
  const without = [...groups(ours, (contender) => contender.cipher)].filter(([, own]) => own.every((c) => !c.constant_time)).map(([cipher]) => cipher);
  const broken = [...groups(ours, (c) => c.cipher).keys()].filter((cipher) => registry.get(cipher)?.standing === "broken");
  const text = [`Only constant-time strategies of sound ciphers are recommended. ${leaking.length} of the ${ours.length} strategies measured read tables or branch by secrets, so that somebody who shares the machine may learn the key from their timing`];
  if (without.length) text.push(`; ${without.join(", ")} ${without.length === 1 ? "has" : "have"} no other strategy here`);
  text.push(".");
  if (broken.length) text.push(` Broken, for study only: ${broken.join(", ")}.`);
  return el("li", {}, el("b", {}, "Timing: "), text.join(""));
}

function choices(bench) {
  const columns = ["cipher", "strategy", "why"].map((name) => ({ name, value: (chosen) => chosen[name] }));
  return table("Choices", columns, bench.choices);
}

/** The header of the page. */
function showAnswer(holder, file, rows, registry) {
  const bench = file.content;
  const answers = [bulkAnswer(rows, registry), smallAnswer(rows, registry), sectorAnswer(rows, registry), caveat(bench, rows, registry)];
  const load = bench.load_average.map((value) => (value === null ? "?" : value.toFixed(1)));
  const warnings = [];
  if (bench.interrupted) warnings.push("The run was interrupted: these are the results so far.");
  if (bench.load_average[0] !== null && bench.load_average[0] > bench.machine.cores) {
    warnings.push(`The machine was busy (load average ${load[0]} before, ${load[1]} after, ${bench.machine.cores} cores): figures of one core are CPU time by a clock measured beside them; those of several cores are wall-clock time and suffer.`);
  }
  holder.replaceChildren(
    el("h1", {}, `Ciphers on this machine: ${bench.machine.cpu || bench.machine.architecture}`),
    el("p", { class: "machine" }, machineLine(bench, rows)),
    el("ul", { class: "answers" }, answers.filter(Boolean)),
    bench.choices.length ? disclosed("What roundel runs for each cipher, and why", () => choices(bench)) : "",
    ...warnings.map((text) => el("p", { class: "warning" }, text)),
    origin(file, `${bench.method.rounds} rounds in ${digits(bench.method.elapsed_s)} s, samples of ${duration(bench.method.sample_ns)}; ${bench.machine.build}; ${bench.machine.system}. Figures are medians; ± is the median absolute deviation.`),
  );
}
