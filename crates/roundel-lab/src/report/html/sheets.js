// Studies whose file has no `sheet`: theirs is made here of their own figures, in the shape of studies/sheet.rs.

const SHEETS = { "elephant-2008": elephantSheet, "twofish-keying-1999": twofishSheet };

/** A study's sheet; undefined where its figures are not known here. */
function sheetOf(content) {
  return content.sheet ?? SHEETS[content.study]?.(content);
}

const ELEPHANT_LAYERS = [["diffusers", "diffusers"], ["pattern", "pattern"], ["chaining", "CBC or counter"], ["aes", "AES"]];

function elephantSheet({ systems, threads, strategy, diffuser }) {
  const row = (label, series, published, ours) => ({
    label, series, x: null, published, at_least: false, ours, ratio: published > 0 && ours > 0 ? published / ours : null, note: "",
  });
  const layers = systems.flatMap(({ mode, published, bulk }) => ELEPHANT_LAYERS.map(([field, name]) => row(mode, name, published?.[field] ?? null, bulk[field])));
  const known = systems.filter(({ published }) => published);
  const totals = known.flatMap(({ mode, published, alone, bulk, all_cores: together }) => [
    row(mode, "one sector alone, one core", published.total, alone.total),
    row(mode, "many sectors, one core", published.total, bulk.total),
    row(mode, `many sectors, ${threads} cores`, published.two_processors, together),
  ]);
  const shared = { label: "system", published_unit: "cycles", our_unit: "cycles" };
  return {
    source: "Clock cycles for a sector of 512 bytes under AES-256 on a Pentium 4 at 3 GHz, layer by layer; two processors are the article's estimate.",
    method: `The fastest of the repetitions, in cycles of the core's clock as measured beside them, with ${strategy} and the diffuser ${diffuser}; many: 4096 sectors in memory. Layers were timed apart, so that they overlap where the whole is run.`,
    tables: [
      { ...shared, caption: "Layers in cycles per sector: many sectors, one core", chart: "stack", series: "layer", rows: layers },
      { ...shared, caption: "Cycles per sector", chart: "ratios", series: "how", rows: totals },
    ],
  };
}

/** The best option for each length, beside the published best. */
function twofishSheet({ options, rows }) {
  const sheetRows = rows.map(({ bytes, totals, best, published }) => {
    const ours = totals[best] === null ? null : totals[best] / bytes;
    const theirs = published?.per_byte ?? null;
    return {
      label: String(bytes), series: "", x: bytes, published: theirs, at_least: false, ours, ratio: theirs && ours ? theirs / ours : null,
      note: `${options[best].name}${published ? `; published: ${published.option}` : ""}`,
    };
  });
  return {
    source: "Best total clocks for one message under a new 128-bit key on a Pentium Pro, by length, in the Twofish book of 1999.",
    method: "Every keying option of this program keys and encrypts messages of each length under keys never seen before; the best one's core cycles are shown, by the clock measured beside them.",
    tables: [{ caption: "Keying and encrypting one message, clocks per byte", chart: "lines", label: "bytes", series: "", published_unit: "clocks/byte", our_unit: "clocks/byte", rows: sheetRows }],
  };
}
