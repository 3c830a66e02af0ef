// How many times as much all cores do as one, beside the ideal.

function showScaling(choice, file, rows) {
  const holder = el("div", { class: "chart" });
  const behind = el("div");
  const words = el("p");
  const paint = () => {
    const crowds = rows.filter((row) => row.threads > 0);
    const chosen = crowds.filter((row) => row.contender === null || (choice.takesContender(row) && choice.takesOperation(row)));
    const shown = [];
    for (const [cipher, own] of groups(chosen, (row) => row.cipher)) {
      for (const mine of groups(own, (row) => row.contender).values()) {
        const length = d3.max(mine, (row) => row.bytes);
        const alone = mine.find((row) => row.threads === 1 && row.bytes === length);
        if (!alone) continue;
        const together = mine.filter((row) => row.threads > 1 && row.bytes === length);
        shown.push(...together.map((row) => ({ ...row, place: cipher, gain: row.gbps / alone.gbps, alone })));
      }
    }
    const ideals = [...new Set(shown.map((row) => row.threads))].sort((a, b) => a - b);
    const order = d3.groupSort(shown, (own) => -d3.max(own, (row) => row.gain), (row) => row.place);
    words.textContent = shown.length
      ? `${choice.words()}: rate of all threads together, each with messages of its own, as a multiple of one thread's; all by the wall clock, so other programs on the machine make it worse. `
        + `The dashed line${ideals.length > 1 ? "s are" : " is"} the ideal: ${ideals.map((n) => `${n} cores, ${n} times`).join("; ")}. Copy is memcpy.`
      : "";
    if (!shown.length) {
      holder.dataset.points = 0;
      holder.replaceChildren(el("p", { class: "empty" }, "Threads were not measured for this choice: ", el("code", {}, "roundel bench --full"), " measures every mode on all cores."));
      behind.replaceChildren();
      return;
    }
    draw(holder, `Rate on several cores as a multiple of that on one, ${shown.length} strategies; the ideal is ${ideals.join(", ")}`, shown.length, (width) => {
      const wide = width > 560;
      return {
        height: 50 + order.length * (wide ? 22 : 36), marginLeft: wide ? 150 : 8, marginRight: 16, marginTop: 8,
        x: { domain: [0, 1.08 * Math.max(...ideals, ...shown.map((row) => row.gain))], label: "times one thread", grid: true },
        y: { domain: order, label: null, axis: wide ? "left" : null },
        marks: [
          Plot.ruleX(ideals, { stroke: (n) => colour(ideals.indexOf(n)), strokeDasharray: "5 4" }),
          Plot.ruleX([1], { strokeOpacity: 0.4 }),
          Plot.ruleY(order, { strokeOpacity: 0.12, dy: wide ? 0 : 6 }),
          wide ? null : Plot.text(order, { y: (d) => d, text: (d) => d, frameAnchor: "left", dy: -8, fontWeight: "bold" }),
          Plot.dot(shown, { x: "gain", y: "place", r: 4, dy: wide ? 0 : 6, strokeWidth: 2, stroke: (row) => colour(ideals.indexOf(row.threads)), fill: "var(--back)" }),
          tip(shown, "gain", "place", (row) => `${hover(row)}\n${digits(row.gain)} times one thread's ${digits(row.alone.gbps)} GB/s`),
        ],
      };
    });
    const columns = [...pointColumns().filter((column) => !/byte$|least|most|±|checks/.test(column.name)),
      { name: "times one thread", value: (row) => row.gain, text: (row) => digits(row.gain), numeric: true }];
    behind.replaceChildren(disclosed("The figures as a table", () => table("Scaling", columns, shown)));
  };
  choice.listeners.push(paint);
  return [section("scaling", "All cores", words, holder, behind, origin(file)), paint];
}
