// What was proved before anything was timed.

function showProof(data) {
  const [file] = filesOf(data, "verify");
  if (!file) return missing("proof", "Proof", "the results of every published vector for every strategy", ["roundel verify --json > roundel-verify.json"]);
  const report = file.content;
  const { passed, failed, unavailable } = report.totals;
  const total = (counts) => counts.passed + counts.failed + counts.unavailable;
  const part = (name, key) => ({ name, numeric: true, value: (row) => total(row[key]), text: (row) => {
    const counts = row[key];
    return counts.failed ? `${counts.failed} of ${total(counts)} FAILED` : String(total(counts) || "");
  } });
  const columns = [
    { name: "cipher", value: (row) => row.cipher },
    { name: "strategy", value: (row) => row.strategy },
    part("known answers", "known_answers"), part("Monte Carlo", "monte_carlo"), part("modes", "messages"),
    { name: "result", value: (row) => (!row.available ? "not available here" : ["known_answers", "monte_carlo", "messages"].some((key) => row[key].failed) ? "FAILED" : "passed") },
  ];
  const fileColumns = [
    { name: "file", value: (row) => row.file }, { name: "passed", value: (row) => row.passed, numeric: true },
    { name: "failed", value: (row) => row.failed, numeric: true }, { name: "not available", value: (row) => row.unavailable, numeric: true },
    { name: "not implemented", value: (row) => row.not_implemented, numeric: true },
  ];
  const failures = report.failures.slice(0, 20).map((failure) => el("li", {}, `${failure.cipher} ${failure.strategy}: ${failure.file} ${failure.vector}, ${failure.operation}`));
  const others = report.not_implemented.map((kind) => `${kind.what} (${kind.cases})`);
  return section("proof", "Proof", el("p", { class: failed ? "warning" : null },
    `${passed.toLocaleString("en")} results agree with published vectors, ${failed.toLocaleString("en")} do not, ${unavailable.toLocaleString("en")} cannot run on this CPU (level ${report.cpu_level}); depth: ${report.depth}.`
    + (others.length ? ` Not implemented and not run: ${others.join(", ")}.` : "")),
    failures.length ? el("ul", { class: "warning" }, failures) : null,
    disclosed("Every strategy", () => table("Results by strategy", columns, report.rows)),
    disclosed("Every vector file", () => table("Results by vector file", fileColumns, report.files)),
    origin({ ...file, command: "roundel verify --json" }, `${digits(report.seconds)} s on ${report.threads} threads.`));
}
