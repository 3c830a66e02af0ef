//! `roundel report`: the file, and what a browser makes of it.

mod common;

use common::browser::Browser;
use common::{fail, roundel, succeed};
use roundel::plan::estimates;
use roundel::simd::Level;
use roundel_lab::bench::{BenchResult, ContenderFacts, Operation};
use roundel_lab::machine::Machine;
use roundel_lab::report::{html::MOST_BYTES, json};
use roundel_lab::stats::Summary;
use roundel_lab::studies::sheet::{self, Chart, Sheet, SheetRow, SheetTable};
use roundel_lab::tune::store;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const RECORD: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/record/amd-epyc-25-1-1/2026-11-21.json");

fn record() -> BenchResult {
    json::parse(&fs::read_to_string(RECORD).unwrap()).unwrap()
}

/// A study with a table of each kind.
fn study() -> String {
    let table = |chart| SheetTable {
        caption: "Invented".into(),
        chart,
        label: "bytes".into(),
        series: "layer".into(),
        published_unit: "cycles".into(),
        our_unit: "cycles".into(),
        rows: [16.0, 64.0, 256.0]
            .into_iter()
            .flat_map(|x| ["diffuser", "AES"].map(|series| (x, series)))
            .map(|(x, series)| SheetRow {
                label: format!("{x}"),
                series: series.into(),
                x: Some(x),
                published: Some(90.0),
                at_least: false,
                ours: Some(10.0),
                ratio: Some(9.0),
                note: String::new(),
            })
            .collect(),
    };
    let sheet = Sheet {
        source: "Nowhere.".into(),
        method: "Not at all.".into(),
        tables: [Chart::Ratios, Chart::Lines, Chart::Stack].map(table).into(),
    };
    sheet::json(
        &json!({ "study": "twofish-keying-1999", "command": "roundel study twofish-keying-1999" }),
        &sheet,
    )
}

/// Studies that are run.
const STUDIES: [&str; 3] = ["elephant-2008", "aes-32bit-2002", "parallel-aes-2011"];

/// A report of the record, the invented study and real ones.
fn report(folder: &Path) -> PathBuf {
    let [invented, html] = ["study.json", "report.html"].map(|name| folder.join(name));
    fs::write(&invented, study()).unwrap();
    let mut arguments = vec!["report".to_owned(), RECORD.to_owned(), invented.display().to_string()];
    for study in STUDIES {
        let path = folder.join(format!("{study}.json"));
        fs::write(&path, succeed(&["study", study, "--quick", "--json"], b"")).unwrap();
        arguments.push(path.display().to_string());
    }
    arguments.extend(["-o".to_owned(), html.display().to_string()]);
    succeed(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), b"");
    html
}

#[test]
fn without_results_it_says_what_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = roundel(&["report"]).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "roundel: there are no results in this folder: run `roundel bench` first, which writes roundel-bench.json\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
    let other = folder.path().join("other.json");
    fs::write(&other, "[1]").unwrap();
    let (code, message) = fail(&["report", other.to_str().unwrap()], b"");
    assert!(code == 2 && message.starts_with("roundel: other.json holds no results: "), "{message}");
}

#[test]
fn results_of_this_folder_are_found() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(RECORD, folder.path().join("roundel-bench.json")).unwrap();
    fs::write(folder.path().join("roundel-notes.json"), "{}").unwrap();
    let output = roundel(&["report"]).current_dir(&folder).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("from roundel-bench.json") && said.contains("left out: roundel-notes.json"),
        "{said}"
    );
    assert!(fs::metadata(folder.path().join("roundel-report.html")).unwrap().len() < MOST_BYTES as u64);
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("compare.html");
    let said = succeed(&["report", "--compare", RECORD, RECORD, "-o", html.to_str().unwrap()], b"");
    let expected = format!("0 of {} points differ by more than the noise\n", record().points.len());
    assert!(String::from_utf8(said).unwrap().starts_with(&expected));
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&html, 1280, "light");
    let verdict = browser.eval("document.getElementById('verdict').textContent");
    assert!(
        verdict.as_str().unwrap().starts_with(&format!("None of {} points differs", record().points.len()))
    );
    assert_eq!(browser.count(DOTS), record().points.len());
    assert_eq!(browser.complaints, [""; 0]);
}

const DOTS: &str =
    "document.querySelectorAll('.chart g[aria-label=dot] > *, .chart g[aria-label=bar] > *').length";

/// Dots of one section.
fn dots(section: &str) -> String {
    format!("document.querySelectorAll('#{section} g[aria-label=dot] > *').length")
}

/// Points of the record of one thread at one key length, of some operations.
fn points(record: &BenchResult, key_bits: usize, operations: &[Operation], constant_time: bool) -> usize {
    let takes = |contender: usize| record.contenders[contender].constant_time || !constant_time;
    let of = |point: &&roundel_lab::bench::Point| {
        point.key_bits == key_bits
            && point.threads == 0
            && operations.contains(&point.operation)
            && point.contender.is_some_and(takes)
    };
    record.points.iter().filter(of).count()
}

/// Chooses in the n-th list of the filters.
fn choose(browser: &mut Browser, list: &str, value: &str) {
    let script = format!(
        "{{ const list = [...document.querySelectorAll('#filters label')].find((label) => label.textContent.startsWith('{list}')).querySelector('select');
           list.value = '{value}'; list.dispatchEvent(new Event('change')); }}"
    );
    browser.eval(&script);
}

fn check_box(browser: &mut Browser, name: &str) {
    browser.eval(&format!("document.querySelector('#filters input[name={name}]').click()"));
}

#[test]
fn a_browser_shows_every_point_and_filters_and_sorts() {
    let folder = tempfile::tempdir().unwrap();
    let html = report(folder.path());
    let Some(mut browser) = Browser::start() else { return };
    let record = record();
    let shown = browser.open(&html, 1280, "light");
    // No bound: how long it takes says how busy the machine is.
    eprintln!("a report of {} points is shown in {:.2} s", record.points.len(), shown.as_secs_f64());

    // What is drawn is what was measured.
    let promised = "[...document.querySelectorAll('.chart')].every((chart) => +chart.dataset.points === chart.querySelectorAll('g[aria-label=dot] > *, g[aria-label=bar] > *').length)";
    assert_eq!(browser.eval(promised), true);
    let ctr = [Operation::Ctr, Operation::FreshCtr];
    assert_eq!(browser.count(&dots("lengths")), points(&record, 256, &ctr, false));
    assert_eq!(browser.count(&dots("schedules")), points(&record, 256, &[Operation::KeyEncrypt], false));
    let in_ctr = |&i: &usize| record.longest_up_to(Some(i), 256, Operation::Ctr, 16 << 10).is_some();
    let contenders = (0..record.contenders.len()).filter(in_ctr).count();
    assert_eq!((browser.count(&dots("strategies")), contenders), (12, 12));
    // Six ratios, twice six ends of lines, twice six bars.
    let bars =
        |study: &str| format!("document.querySelectorAll('#study-{study} g[aria-label=bar] > *').length");
    let twofish = "twofish-keying-1999";
    let drawn = (browser.count(&dots(&format!("study-{twofish}"))), browser.count(&bars(twofish)));
    assert_eq!(drawn, (18, 12));
    // Four published systems measured in three ways; their four layers each, and ours where they took time at all.
    assert_eq!(browser.count(&dots("study-elephant-2008")), 12);
    assert!(browser.count(&bars("elephant-2008")) > 24);
    // Four rates in three rows, three in three and two in three.
    assert_eq!(browser.count(&dots("study-aes-32bit-2002")), 27);
    // Ours: six sizes, both ways, on one core and on all; published: all of encryption, two sizes of decryption; and four constants.
    assert_eq!(browser.count(&dots("study-parallel-aes-2011")), 24 + 16 + 4);
    let answer = browser.eval("document.getElementById('top').textContent");
    assert!(answer.as_str().unwrap().contains("rijndael-128 with aes-round-256"), "{answer}");

    // Filters change all of it.
    choose(&mut browser, "Key", "128");
    assert_eq!(browser.count(&dots("lengths")), points(&record, 128, &ctr, false));
    choose(&mut browser, "Mode", "gcm");
    let gcm = [Operation::GcmEncrypt, Operation::FreshGcm];
    assert_eq!(browser.count(&dots("lengths")), points(&record, 128, &gcm, false));
    choose(&mut browser, "Direction", "decrypt");
    assert_eq!(browser.count(&dots("lengths")), points(&record, 128, &[Operation::GcmDecrypt], false));
    check_box(&mut browser, "constant-time");
    assert_eq!(browser.count(&dots("lengths")), points(&record, 128, &[Operation::GcmDecrypt], true));
    assert_eq!(browser.eval(promised), true);
    // A legend entry takes its line away.
    browser.eval("document.querySelector('#lengths .legend button').click()");
    assert!(browser.count(&dots("lengths")) < points(&record, 128, &[Operation::GcmDecrypt], true));
    check_box(&mut browser, "cipher");
    assert_eq!(browser.count(&dots("lengths")) + browser.count(&dots("strategies")), 0);

    a_column_sorts(&mut browser);

    // The page's statistics are those of the terminal, but for the last bit: JSON's numbers are read and added in two languages.
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    for point in record.points.iter().step_by(300) {
        let shown = browser.eval(&format!("summary({})", json!(point.ns)));
        let (page, terminal) = (serde_json::from_value::<Summary>(shown).unwrap(), point.ns_per_call());
        let near = same(page.min, terminal.min)
            && same(page.median, terminal.median)
            && same(page.max, terminal.max);
        assert!(near && (page.mad - terminal.mad).abs() <= 1e-12 * terminal.median, "{page:?} {terminal:?}");
    }
    // Twice as slow at 16 bytes, twice as fast at 64: equal at 32.
    let crossovers = browser.eval(
        "crossovers([[16, 'a', 100], [16, 'b', 200], [64, 'a', 400], [64, 'b', 200]].map(([bytes, strategy, cycles]) => ({ bytes, strategy, cycles })))",
    );
    assert_eq!(crossovers, json!([{ "bytes": 32, "from": "a", "to": "b" }]));

    let embedded = browser.eval("embedded().then((data) => JSON.stringify(data.files[0].content))");
    assert_eq!(json::parse(embedded.as_str().unwrap()).unwrap(), record);
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn the_model_is_drawn_over_the_points_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let [bench, profile, html] =
        ["bench.json", "profile", "report.html"].map(|name| folder.path().join(name));
    let mut record = record();
    record.machine = Machine::detect();
    fs::write(&bench, json::render(&record)).unwrap();
    let mut estimated = estimates::profile(Level::Portable);
    estimated.measured = true;
    store::save(&profile, &estimated).unwrap();
    let output = roundel(&["report", bench.to_str().unwrap(), "-o", html.to_str().unwrap()])
        .env("ROUNDEL_PROFILE", &profile)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let Some(mut browser) = Browser::start() else { return };
    browser.open(&html, 1280, "light");
    let runs_here = |facts: &&ContenderFacts| {
        let known = || roundel::cipher(&facts.cipher)?.strategy(&facts.strategy);
        facts.is_ours() && known().is_ok()
    };
    let ours: Vec<usize> =
        (0..record.contenders.len()).filter(|&i| runs_here(&&record.contenders[i])).collect();
    let of = |operation, contender: usize| {
        let of = |point: &&roundel_lab::bench::Point| {
            (point.contender, point.operation, point.key_bits, point.threads)
                == (Some(contender), operation, 256, 0)
        };
        record.points.iter().filter(of).count()
    };
    let ctr = [Operation::Ctr, Operation::FreshCtr];
    let expected: usize =
        ours.iter().map(|&i| ctr.iter().map(|&operation| of(operation, i)).sum::<usize>()).sum();
    assert!(expected > 0);
    assert_eq!(browser.count(&dots("model")), expected);
    // A pale line behind each measured one.
    let lines = "document.querySelectorAll('#lengths g[aria-description=model] > *').length";
    assert_eq!(browser.count(lines), 2 * ours.len());
    assert_eq!(browser.complaints, [""; 0]);
}

/// The table of all points by cycles per byte, both ways.
fn a_column_sorts(browser: &mut Browser) {
    browser.eval("document.querySelector('#raw details').open = true");
    let rows = "document.querySelectorAll('#raw tbody tr').length";
    while browser.count(rows) == 0 {}
    let heading = "[...document.querySelectorAll('#raw thead th')].findIndex((head) => head.textContent === 'cycles/byte')";
    let column = browser.count(heading);
    let press = format!("document.querySelectorAll('#raw thead th')[{column}].firstChild.click()");
    for (direction, falling) in [("ascending", false), ("descending", true)] {
        browser.eval(&press);
        let state = browser.eval(&format!("document.querySelectorAll('#raw thead th')[{column}].ariaSort"));
        assert_eq!(state, direction);
        let cells = browser.eval(&format!(
            "[...document.querySelectorAll('#raw tbody tr')].map((row) => +row.cells[{column}].textContent)"
        ));
        let mut cells: Vec<f64> =
            cells.as_array().unwrap().iter().map(|cell| cell.as_f64().unwrap()).collect();
        assert!(cells.len() >= 200 && cells[0] != cells[cells.len() - 1]);
        if falling {
            cells.reverse();
        }
        assert!(cells.is_sorted(), "{direction}");
    }
}

/// Texts in one chart that lie over each other or outside of the window.
const OVERLAPS: &str = "[...document.querySelectorAll('.chart svg')].flatMap((chart) => {
    const texts = [...chart.querySelectorAll('text')].filter((text) => text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    return boxes.flatMap((box, i) => [
        ...(box.left < 0 || box.right > innerWidth ? [texts[i].textContent] : []),
        ...boxes.flatMap((other, j) => (j > i && over(box, other) ? [`${texts[i].textContent} | ${texts[j].textContent}`] : [])),
    ]);
})";

#[test]
fn nothing_overlaps_on_a_phone_and_on_a_wall() {
    let folder = tempfile::tempdir().unwrap();
    let html = report(folder.path());
    let Some(mut browser) = Browser::start() else { return };
    let mut backgrounds = Vec::new();
    for (width, scheme) in [(360, "light"), (1280, "dark"), (2560, "dark")] {
        browser.open(&html, width, scheme);
        assert_eq!(browser.eval("document.documentElement.scrollWidth <= innerWidth"), true, "{width}");
        assert_eq!(browser.eval(OVERLAPS), Value::Array(Vec::new()), "{width}");
        let legible = "[...document.querySelectorAll('.chart text')].every((text) => getComputedStyle(text).fill !== 'none')";
        assert_eq!(browser.eval(legible), true, "{width}");
        backgrounds.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
    }
    assert!(backgrounds[0] != backgrounds[1] && backgrounds[1] == backgrounds[2], "{backgrounds:?}");
    assert_eq!(browser.complaints, [""; 0]);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let script = String::from_utf8(succeed(&["completions", "bash"], b"")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    succeed(&["man", "-o", folder.path().to_str().unwrap()], b"");
    for verb in ["seal", "bench", "report", "completions"] {
        assert!(
            script.contains(&format!("roundel__subcmd__{verb}"))
                || script.contains(&format!("roundel__{verb}"))
        );
        let page = fs::read_to_string(folder.path().join(format!("roundel-{verb}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&format!("roundel\\-{verb}")), "{page}");
    }
    let page = String::from_utf8(succeed(&["man"], b"")).unwrap();
    assert!(page.contains(".TH roundel 1"), "{page}");
}
