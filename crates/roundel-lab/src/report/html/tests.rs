use super::*;
use crate::machine::Machine;
use crate::report::{json, tests::result_with};
use flate2::read::GzDecoder;
use roundel::plan::estimates;
use roundel::simd::Level;
use std::io::Read;

fn unpacked(html: &str) -> Value {
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let packed = BASE64_STANDARD.decode(rest.split_once("</script>").unwrap().0).unwrap();
    let mut text = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn bench(result: &BenchResult) -> Results {
    Results::parse("roundel-bench.json", &json::render(result)).unwrap()
}

#[test]
fn the_embedded_data_is_the_result() {
    let result = result_with(&[("reference", 100.0), ("ttable", 10.0)]);
    let data = unpacked(&render(&[bench(&result)], None, None, "roundel report"));
    assert_eq!(data["keep"], 1);
    let content = data["files"][0]["content"].to_string();
    assert_eq!(json::parse(&content).unwrap(), result);
}

#[test]
fn predictions_stand_beside_the_points() {
    let mut result = result_with(&[("reference", 100.0)]);
    result.machine = Machine::detect();
    let profile = estimates::profile(Level::Portable);
    let data = unpacked(&render(&[bench(&result)], None, Some(&profile), "roundel report"));
    let predicted = data["files"][0]["predictions"].as_array().unwrap();
    assert!(predicted.len() == 2 && predicted[0].is_null() && predicted[1].as_f64().unwrap() > 0.0);
}

#[test]
fn nothing_from_outside_is_loaded_and_every_script_is_named_by_its_sum() {
    let html = render(&[bench(&result_with(&[("ttable", 10.0)]))], None, None, "roundel report");
    for load in ["src=\"", "<link", "@import", "url(\"http", "fetch(", "XMLHttpRequest("] {
        let ours: String = html.replace(D3, "").replace(PLOT, "");
        assert!(!ours.contains(load), "{load}");
    }
    let scripts: Vec<&str> =
        html.split("<script>").skip(1).map(|rest| rest.split_once("</script>").unwrap().0).collect();
    assert_eq!(scripts.len(), 3);
    let policy =
        html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    for script in scripts {
        assert!(policy.contains(&hash(script)));
    }
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("script-src 'unsafe"));
    assert!(!html.contains("@data@") && !html.contains("@code@") && !html.contains("@d3@"));
}

#[test]
fn what_the_data_says_is_never_markup() {
    let mut result = result_with(&[("ttable", 10.0)]);
    result.machine.cpu = "</title></script><script>alert(1)</script><!--".to_owned();
    let html = render(&[bench(&result)], None, None, "roundel report -o '<b>'");
    assert!(!html.contains("alert(1)</script>") && !html.contains("<!--") && !html.contains("'<b>'"));
    assert_eq!(unpacked(&html)["files"][0]["content"]["machine"]["cpu"], result.machine.cpu);
}

#[test]
fn the_libraries_are_those_of_the_list() {
    let list = include_str!("vendor/README.md");
    for script in [D3, PLOT] {
        let sum: String =
            Sha256::digest(script.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(list.contains(&sum), "{sum}");
        assert!(!script.contains("</script") && !script.contains("<!--"));
    }
}

#[test]
fn a_run_too_long_for_a_report_loses_samples_and_says_so() {
    let mut result = result_with(&[("reference", 100.0)]);
    let mut state = 1u64;
    for point in &mut result.points {
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64
        });
        point.ns = noise.take(200_000).collect();
        point.ghz = vec![2.0; 200_000];
    }
    let html = render(&[bench(&result)], None, None, "roundel report");
    assert!(html.len() <= MOST_BYTES);
    let data = unpacked(&html);
    let keep = data["keep"].as_u64().unwrap() as usize;
    let left = data["files"][0]["content"]["points"][0]["ns"].as_array().unwrap().len();
    assert!(keep > 1 && left == 200_000usize.div_ceil(keep), "{keep} {left}");
}

#[test]
fn files_are_known_by_their_fields() {
    let kind = |text: &str| Results::parse("x.json", text).map(|file| file.kind);
    assert_eq!(kind(r#"{"study": "elephant-2008"}"#).unwrap(), Kind::Study);
    assert_eq!(kind(r#"{"totals": {}, "cpu_level": "sse2"}"#).unwrap(), Kind::Verify);
    assert_eq!(kind(r#"{"errors": {}, "regret": {}}"#).unwrap(), Kind::Check);
    for (text, sentence) in [
        (" \n", "x.json is empty: "),
        ("{", "x.json is not JSON: "),
        ("[1]", "x.json holds no results: "),
        (r#"{"format": "roundel-bench/9"}"#, "x.json is a benchmark of format 'roundel-bench/9'"),
    ] {
        assert!(kind(text).unwrap_err().to_string().starts_with(sentence), "{text}");
    }
}
