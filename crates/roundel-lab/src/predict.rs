//! `roundel predict`: how long so many bytes will take, here or on more cores, how sure that is, and what it costs.

use crate::report::{plain, three_digits};
use roundel::Error;
use roundel::plan::{Constraints, Profile, Request, plan_with};
use serde::Serialize;

/// What is predicted of one length on so many cores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Length in bytes.
    pub bytes: u64,
    /// Cores that may be used.
    pub cores: usize,
    /// Threads that pay.
    pub threads: usize,
    /// The strategy.
    pub strategy: &'static str,
    /// Seconds.
    pub seconds: f64,
    /// The share by which it may be off, up and down, nine times in ten; `None` where nothing was measured on this machine.
    pub uncertainty: Option<f64>,
    /// Gigabytes (10^9) per second.
    pub gigabytes_per_second: f64,
    /// Whether memory and not the cipher sets the rate.
    pub memory_bound: bool,
    /// Whether it needs more cores than were measured.
    pub extrapolated: bool,
    /// For 10^12 bytes at this rate, in the unit of the price.
    pub cost_per_terabyte: Option<f64>,
}

/// What each further doubling of the cores beyond the measured ones adds to the uncertainty.
const DOUBT_PER_DOUBLING: f64 = 0.15;

/// No prediction is surer than this: another minute of the same machine differs as much.
const LEAST_DOUBT: f64 = 0.05;

/// Predicts one length on so many cores, at a price per core and hour.
pub fn predict(
    request: &Request,
    profile: &Profile,
    cores: usize,
    price: Option<f64>,
) -> Result<Prediction, Error> {
    let constraints = Constraints { cores: cores.min(usize::from(u16::MAX)) as u16, ..request.constraints };
    let plan = plan_with(&Request { constraints, ..*request }, profile)?;
    let seconds = plan.predicted_ns.unwrap_or(f64::NAN) / 1e9;
    let known = profile.machine.speed_up.len().max(1);
    let extrapolated = plan.threads > known;
    let doublings = (plan.threads as f64 / known as f64).log2().max(0.0);
    let doubt = f64::from(profile.most_error).max(LEAST_DOUBT) + doublings * DOUBT_PER_DOUBLING;
    let bytes_per_second = request.message_bytes as f64 / seconds;
    let core_hours_per_terabyte = 1e12 / bytes_per_second * plan.threads as f64 / 3600.0;
    Ok(Prediction {
        bytes: request.message_bytes,
        cores,
        threads: plan.threads,
        strategy: plan.choice.strategy.name,
        seconds,
        uncertainty: profile.measured.then_some(doubt),
        gigabytes_per_second: bytes_per_second / 1e9,
        memory_bound: plan.memory_bound,
        extrapolated,
        cost_per_terabyte: price.map(|price| price * core_hours_per_terabyte),
    })
}

/// Predictions as a table for a terminal of this width, and sentences on what limits them. `what` names cipher and mode.
pub fn table(what: &str, predictions: &[Prediction], profile: &Profile, width: Option<usize>) -> String {
    let with_cost = predictions.iter().any(|prediction| prediction.cost_per_terabyte.is_some());
    let mut headings = vec!["bytes", "cores", "threads", "strategy", "time", "+-", "GB/s", "limit"];
    if with_cost {
        headings.push("per TB");
    }
    let rows: Vec<Vec<String>> = predictions
        .iter()
        .map(|one| {
            let mut row = vec![
                one.bytes.to_string(),
                one.cores.to_string(),
                one.threads.to_string(),
                one.strategy.to_owned(),
                duration(one.seconds),
                one.uncertainty.map_or("?".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
                three_digits(one.gigabytes_per_second),
                match (one.memory_bound, one.extrapolated) {
                    (true, true) => "memory, extrapolated",
                    (true, false) => "memory",
                    (false, true) => "cipher, extrapolated",
                    (false, false) => "cipher",
                }
                .to_owned(),
            ];
            if with_cost {
                row.push(one.cost_per_terabyte.map_or(String::new(), three_digits));
            }
            row
        })
        .collect();
    let table = plain::table(&headings, &rows, &[3, 2, 7], width);
    let mut text = format!("{}\n{table}\n\n", plain::wrapped(what, width));
    for sentence in sentences(predictions, profile) {
        text += &plain::wrapped(&sentence, width);
    }
    text
}

fn sentences(predictions: &[Prediction], profile: &Profile) -> Vec<String> {
    let mut sentences = Vec::new();
    let known = profile.machine.speed_up.len();
    if !profile.measured {
        sentences.push(
            "These are built-in estimates, made on another machine: `roundel tune` measures this one."
                .to_owned(),
        );
    }
    if let Some(first) = predictions.iter().filter(|one| one.memory_bound).min_by_key(|one| one.threads) {
        sentences.push(format!(
            "From {} {} on, main memory sets the rate: {} GB/s read and written in place.",
            first.threads,
            if first.threads == 1 { "core" } else { "cores" },
            three_digits(1.0 / profile.machine.memory_byte_ns(first.threads)),
        ));
    }
    if predictions.iter().any(|one| one.extrapolated) {
        sentences.push(format!(
            "More than {known} cores are extrapolated: each is taken to add what those here do, the memory to stay as fast as \
             for {known}; a machine with more of them usually has more memory channels too."
        ));
    }
    let asked = |one: &Prediction| one.cores > one.threads;
    if let Some(one) = predictions.iter().find(|one| asked(one)) {
        let threads =
            if one.threads == 1 { "one thread".to_owned() } else { format!("{} threads", one.threads) };
        sentences.push(format!(
            "Where cores outnumber threads, more threads gain nothing: {} bytes want {threads}.",
            one.bytes
        ));
    }
    sentences
}

/// A time in the unit people use.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown".to_owned();
    }
    for (unit, in_seconds) in [("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6)] {
        if seconds >= in_seconds * if unit == "h" || unit == "min" { 2.0 } else { 1.0 } {
            return format!("{} {unit}", three_digits(seconds / in_seconds));
        }
    }
    format!("{} ns", three_digits(seconds * 1e9))
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundel::plan::{Costs, Curve, KNOTS, Machine, Mode, OPERATIONS};

    /// One nanosecond a byte on each of two cores, main memory as fast as eight of them.
    fn profile() -> Profile {
        let mut profile = Profile::new(Machine {
            thread_start_ns: 1000.0,
            speed_up: vec![1.0, 2.0],
            memory_byte_ns: vec![0.125, 0.125],
            near_bytes: 1 << 18,
            far_bytes: 1 << 20,
        });
        let mut short_ns = [0.0; KNOTS.len()];
        short_ns[0] = 16.0;
        let curve = Curve {
            setup_ns: 0.0,
            warm_ns: 0.0,
            cold_ns: 0.0,
            call_ns: 0.0,
            batch_blocks: 1,
            batch_ns: 16.0,
            short_ns,
        };
        let mut costs = Costs::default();
        OPERATIONS.into_iter().for_each(|operation| costs.set(operation, curve));
        profile.set(roundel::cipher("serpent").unwrap(), 0, 32, costs);
        profile.most_error = 0.08;
        profile.measured = true;
        profile
    }

    fn request(bytes: u64) -> Request {
        let serpent = roundel::cipher("serpent").unwrap();
        Request::kept_key(serpent, 32, Mode::Ctr, bytes, Constraints::default())
    }

    #[test]
    fn cores_divide_the_time_until_memory_does_not() {
        let profile = profile();
        let at = |cores| predict(&request(1_000_000_000), &profile, cores, Some(3.6)).unwrap();
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.03;
        assert!(near(at(1).seconds, 1.0) && near(at(2).seconds, 0.5) && near(at(4).seconds, 0.25));
        assert!(!at(4).memory_bound && at(4).extrapolated && !at(2).extrapolated);
        let many = at(64);
        assert!(many.memory_bound && many.seconds >= 0.125, "{many:?}");
        // A thousand seconds on one core, at a thousandth a second.
        assert!(near(at(1).cost_per_terabyte.unwrap(), 1.0));
        assert_eq!(
            [at(1), at(4)].map(|one| one.uncertainty.map(|u| (100.0 * u).round())),
            [Some(8.0), Some(23.0)]
        );
    }

    #[test]
    fn the_table_says_what_limits() {
        let profile = profile();
        let predictions: Vec<_> =
            [1, 2, 64].map(|cores| predict(&request(1_000_000_000), &profile, cores, None).unwrap()).to_vec();
        let text = table("serpent, CTR", &predictions, &profile, None);
        assert!(text.contains("main memory sets the rate: 8.00 GB/s"), "{text}");
        assert!(text.contains("More than 2 cores are extrapolated"), "{text}");
        assert!(!text.contains("per TB") && !text.contains("estimates"));
        let mut estimated = profile;
        estimated.measured = false;
        assert!(table("", &predictions, &estimated, None).contains("built-in estimates"));
    }

    #[test]
    fn durations_have_their_unit() {
        let texts = [7200.0, 90.0, 300.0, 1.5, 0.25, 2e-5, 3e-7, f64::NAN].map(duration);
        assert_eq!(texts.join(", "), "2.00 h, 90.0 s, 5.00 min, 1.50 s, 250 ms, 20.0 us, 300 ns, unknown");
    }
}
