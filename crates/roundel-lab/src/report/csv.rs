//! A result as comma-separated values (RFC 4180): a line for each point, with median and spread.

use crate::bench::{BenchResult, Point};
use crate::stats::{Summary, rounded};

const HEADINGS: &str = "library,cipher,strategy,constant_time,key_bits,operation,bytes,threads,samples,calls,\
                        ns_median,ns_mad,ns_min,ns_max,cycles_median,cycles_mad,cycles_min,cycles_max";

/// All points, in the order of the result. Figures are per call; `threads` 0 is one thread by its CPU time.
pub fn render(result: &BenchResult) -> String {
    let mut text = format!("{HEADINGS}\r\n");
    for point in &result.points {
        text += &line(result, point);
        text += "\r\n";
    }
    text
}

fn line(result: &BenchResult, point: &Point) -> String {
    let facts = point.contender.map(|contender| &result.contenders[contender]);
    let names = facts.map_or(["", "", ""], |facts| [&facts.library, &facts.cipher, &facts.strategy]);
    let mut cells: Vec<String> = names.map(quoted).into_iter().collect();
    cells.push(facts.is_none_or(|facts| facts.constant_time).to_string());
    cells.push(point.key_bits.to_string());
    cells.push(point.operation.name().to_owned());
    cells.extend([point.bytes, point.threads, point.ns.len()].map(|number| number.to_string()));
    cells.push(point.calls.to_string());
    for Summary { min, median, mad, max } in [point.ns_per_call(), point.cycles_per_call()] {
        cells.extend([median, mad, min, max].map(|value| rounded(value, 4).to_string()));
    }
    cells.join(",")
}

/// In quotes where commas, quotes or line ends would be taken for the table's.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::result_with;
    use super::*;

    #[test]
    fn a_line_for_each_point_with_as_many_cells_as_headings() {
        let mut result = result_with(&[("ttable", 10.0)]);
        result.contenders[0].library = "a, \"b\"".to_owned();
        let text = render(&result);
        let lines: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 1 + result.points.len());
        assert!(lines[1].starts_with(",,,true,0,copy,16384,0,3,1,"), "{}", lines[1]);
        assert_eq!(lines[1].matches(',').count(), HEADINGS.matches(',').count());
        // 10 cycles per byte at 2 GHz: 5 ns for each of 16384 bytes, one sample of three a hundredth more.
        let expected = "\"a, \"\"b\"\"\",rijndael,ttable,false,256,ctr,16384,0,3,1,81920,0,81920,82739.2,163840,0,163840,165478.4";
        assert_eq!(lines[2], expected);
    }
}
