// The choice that all charts and tables follow.

const MODES = { ctr: "CTR", ecb: "ECB", cbc: "CBC", gcm: "GCM", xts: "XTS, one data unit", sectors: "XTS, 512-byte units" };

/** What is chosen: {ciphers: Set, keyBits, mode, direction, bytes, constantTime}. Notifies when it changes. */
class Choice {
  constructor(rows, registry) {
    this.rows = rows.filter((row) => row.contender !== null);
    this.registry = registry;
    this.all = [...groups(this.rows, (row) => row.cipher).keys()];
    this.ciphers = new Set(this.all);
    this.modes = Object.keys(MODES).filter((mode) => this.rows.some((row) => row.mode === mode));
    this.mode = this.modes[0];
    this.keyBits = "longest";
    this.direction = "encrypt";
    this.sizes = [...new Set(this.rows.filter((row) => row.bytes > 0 && row.threads === 0 && !row.fresh).map((row) => row.bytes))]
      .filter((bytes) => (bytes & (bytes - 1)) === 0).sort((a, b) => a - b);
    this.bytes = this.sizes.filter((bytes) => bytes <= 16384).pop() ?? this.sizes[0];
    this.constantTime = false;
    this.longest = new Map([...groups(this.rows, (row) => row.cipher)].map(([cipher, own]) => [cipher, d3.max(own, (row) => row.keyBits)]));
    this.listeners = [];
  }

  changed() {
    this.listeners.forEach((listener) => listener());
  }

  /** Whether a row is of a chosen cipher, key length and kind of timing. */
  takesContender(row) {
    const bits = this.keyBits === "longest" ? this.longest.get(row.cipher) : this.keyBits;
    return this.ciphers.has(row.cipher) && row.keyBits === bits && (row.constantTime || !this.constantTime);
  }

  /** Whether a row is of the chosen mode and direction. */
  takesOperation(row) {
    return row.mode === this.mode && (row.direction === "both" || row.direction === this.direction || row.fresh);
  }

  /** Rows of the chosen contenders and operation under keys that are kept, on one thread. */
  messages() {
    return this.rows.filter((row) => row.threads === 0 && !row.fresh && this.takesContender(row) && this.takesOperation(row));
  }

  /** The same at the chosen message length. */
  atLength() {
    return longestUpTo(this.messages(), this.bytes);
  }

  /** "CTR of 16 KiB messages". */
  words() {
    const way = this.mode === "ctr" ? "" : ` ${this.direction}ion`;
    return `${MODES[this.mode]}${way}`;
  }
}

function select(label, options, value, change) {
  const list = el("select", { onchange: (event) => change(event.target.value) },
    options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, text)));
  return el("label", {}, `${label} `, list);
}

/** Fills the form with the choices that the data offers. */
function showFilters(form, choice) {
  const set = (key, read = (text) => text) => (text) => {
    choice[key] = read(text);
    choice.changed();
  };
  const bits = [...new Set(choice.rows.map((row) => row.keyBits))].sort((a, b) => a - b);
  const boxes = choice.all.map((cipher) => {
    const toggle = (event) => {
      if (event.target.checked) choice.ciphers.add(cipher);
      else choice.ciphers.delete(cipher);
      describe();
      choice.changed();
    };
    return el("label", { class: "box" }, el("input", { type: "checkbox", name: "cipher", value: cipher, checked: true, onchange: toggle }), ` ${cipher}`);
  });
  const pick = (label, wanted) => el("button", { type: "button", onclick: () => {
    choice.ciphers = new Set(choice.all.filter(wanted));
    boxes.forEach((box, index) => { box.firstChild.checked = choice.ciphers.has(choice.all[index]); });
    describe();
    choice.changed();
  } }, label);
  const sound = (cipher) => choice.registry.get(cipher)?.standing === "sound";
  const summary = el("summary");
  const describe = () => {
    const chosen = choice.ciphers.size;
    summary.textContent = chosen === choice.all.length ? `Ciphers: all ${chosen}` : `Ciphers: ${chosen} of ${choice.all.length}`;
  };
  describe();
  const menu = el("details", { class: "menu" }, summary, el("div", { class: "choices" },
    el("p", {}, pick("All", () => true), " ", pick("None", () => false), " ", pick("Sound ones", sound)), boxes));
  document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { menu.open = false; summary.focus(); }
  });
  form.replaceChildren(
    menu,
    select("Key", [["longest", "longest"], ...bits.map((n) => [n, `${n} bits`])], "longest", set("keyBits", (text) => (text === "longest" ? text : +text))),
    select("Mode", choice.modes.map((mode) => [mode, MODES[mode]]), choice.mode, set("mode")),
    select("Direction", [["encrypt", "encryption"], ["decrypt", "decryption"]], choice.direction, set("direction")),
    select("Message", choice.sizes.map((bytes) => [bytes, size(bytes)]), choice.bytes, set("bytes", Number)),
    el("label", { class: "box" }, el("input", { type: "checkbox", name: "constant-time", onchange: (event) => {
      choice.constantTime = event.target.checked;
      choice.changed();
    } }), " only constant-time"),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
}
