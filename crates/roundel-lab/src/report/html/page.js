// Elements, figures, cards and sortable tables: what all sections are built of.

/** An element with attributes and children; strings become text, so that nothing from the data is markup. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that saves a text as a file. */
function download(label, name, type, text) {
  const save = () => {
    const address = URL.createObjectURL(new Blob([text()], { type }));
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return el("button", { type: "button", onclick: save }, label);
}

/** Rows as CSV with a heading line, quoted where necessary. */
function csv(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const line = (cells) => cells.map(cell).join(",");
  return [line(columns.map((column) => column.name)), ...rows.map((row) => line(columns.map((c) => c.value(row))))].join("\r\n") + "\r\n";
}

const FIRST_ROWS = 200;

/**
 * A table that sorts by any column, by mouse or keyboard. A column is {name, value(row), text(row)?, title?, numeric?};
 * of a long table the first rows are shown until the rest is asked for.
 */
function table(caption, columns, rows, { sortBy = null, descending = false } = {}) {
  const state = { column: sortBy, descending, all: rows.length <= FIRST_ROWS };
  const body = el("tbody");
  const heads = columns.map((column, index) => {
    const sort = () => {
      state.descending = state.column === index ? !state.descending : false;
      state.column = index;
      fill();
    };
    const button = el("button", { type: "button", title: column.title, onclick: sort }, column.name);
    return el("th", { scope: "col", class: column.numeric ? "number" : null }, button);
  });
  const more = el("button", { type: "button", onclick: () => { state.all = true; fill(); } }, `Show all ${rows.length} rows`);
  const fill = () => {
    heads.forEach((head, index) => {
      head.setAttribute("aria-sort", state.column !== index ? "none" : state.descending ? "descending" : "ascending");
    });
    const shown = state.column === null ? rows : sorted(rows, columns[state.column], state.descending);
    const cut = state.all ? shown : shown.slice(0, FIRST_ROWS);
    body.replaceChildren(...cut.map((row) => el("tr", {}, columns.map((column, index) => {
      const text = column.text ? column.text(row) : column.value(row);
      const content = text instanceof Node ? text : String(text ?? "");
      return el(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: column.numeric ? "number" : null }, content);
    }))));
    more.hidden = state.all;
  };
  fill();
  const element = el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, element, more);
}

/** A sorted copy; missing values last whatever the direction. */
function sorted(rows, column, descending) {
  const sign = descending ? -1 : 1;
  const missing = (value) => value === null || value === undefined || value === "";
  return rows.slice().sort((left, right) => {
    const [a, b] = [column.value(left), column.value(right)];
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  });
}

/** A table that is built when it is opened: the words behind a chart. */
function disclosed(label, build) {
  const element = el("details", { class: "behind" }, el("summary", {}, label));
  element.addEventListener("toggle", () => {
    if (element.open && element.children.length === 1) element.append(build());
  });
  return element;
}

/** A section of the page with its heading. */
function section(id, heading, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-heading` }, el("h2", { id: `${id}-heading` }, heading), ...children.filter(Boolean));
}

/** Where figures come from, in a line under what shows them. */
function origin(file, more = "") {
  const content = file.content;
  const date = content.date ? `, ${content.date.replace("T", " ").replace("Z", " UTC")}` : "";
  const version = content.version ? ` (version ${content.version}${date})` : "";
  return el("p", { class: "origin" }, "From ", el("code", {}, content.command ?? file.command ?? file.name), `${version}; file ${file.name}. ${more}`);
}

/** Text over lines: without it they look as if they struck it out. */
const HALO = { fill: "currentColor", stroke: "var(--back)", strokeWidth: 4 };

// Charts. Colours are variables of the style sheet, so that they follow the system's setting without drawing again.

const COLOURS = 10;
const colour = (index) => `var(--c${index % COLOURS})`;
/** Beyond the colours, lines differ by dashes. */
const dashes = (index) => ["", "6 3", "2 3"][Math.floor(index / COLOURS) % 3];

/** The tip that follows the pointer. */
function tip(rows, x, y, title) {
  return Plot.tip(rows, Plot.pointer({ x, y, title, lineWidth: 40, fontSize: 12 }));
}

/** Draws into a holder and says how many points it drew: as many dots or bars as `points` says. Asking for the holder's width lays the page out, so cards are told theirs. */
function draw(holder, label, points, options, known = holder.clientWidth) {
  const width = Math.max(240, Math.floor(known || 600));
  const chart = Plot.plot({ width, marginBottom: 44, style: { fontSize: "12px", background: "none" }, ...options(width) });
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  holder.dataset.points = points;
  holder.replaceChildren(chart);
}

/** Replaces the cards of a grid and draws them: each {figure, holder, paint(width)}; all have one width. */
function deal(grid, cards) {
  grid.replaceChildren(...(cards.length ? cards.map((card) => card.figure) : [nothing()]));
  const width = cards[0]?.holder.clientWidth;
  cards.forEach((card) => card.paint(width));
}

function nothing() {
  return el("p", { class: "empty" }, "Nothing was measured that fits this choice: change the filters above.");
}

/** Powers of two in bytes between two lengths, few enough for the width. */
function sizeTicks([from, to], width) {
  const all = d3.range(Math.ceil(Math.log2(from)), Math.floor(Math.log2(to)) + 1);
  const step = Math.max(1, Math.ceil(all.length / Math.max(2, Math.floor(width / 56))));
  return all.filter((_, index) => index % step === 0).map((power) => 2 ** power);
}

/** An axis of sizes that fits a card: 64, 1K, 16K. */
function sizeTick(bytes) {
  return size(bytes).replace(/ ?(B|iB)$/, "").replace(" ", "");
}

/** A logarithmic axis' range with some room at its ends. */
function room(values, share = 0.06) {
  const [from, to] = d3.extent(values.filter((value) => value > 0));
  if (from === undefined) return [1, 10];
  const margin = Math.max((to / from) ** share, 1.08);
  return [from / margin, to * margin];
}

/** Ticks of a logarithmic axis: 1, 2 and 5 of each of at most two decades (of more, Plot leaves out the labels of some), else powers of ten. */
function logTicks([from, to], count) {
  const decades = Math.log10(to / from);
  const steps = decades < 0.3 ? null : decades * 3 <= Math.min(count, 6) ? [1, 2, 5] : [1];
  if (!steps) return d3.ticks(from, to, Math.min(5, count));
  const powers = d3.range(Math.floor(Math.log10(from)), Math.ceil(Math.log10(to)) + 1);
  const every = steps.length > 1 ? 1 : Math.max(1, Math.ceil(powers.length / Math.max(2, count)));
  return powers.filter((power) => power % every === 0)
    .flatMap((power) => steps.map((step) => +`${step}e${power}`)).filter((tick) => tick >= from && tick <= to);
}

const plain = d3.format("~r");
/** 0.01, 2, 1500 or 20k: never an exponent where people expect none. */
function tick(value) {
  return value >= 10_000 ? d3.format("~s")(value) : plain(value);
}
