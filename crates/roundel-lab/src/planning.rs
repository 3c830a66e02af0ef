//! `roundel plan`: a plan with its runners-up and reasons, and the best option for every length of message.

use crate::report::{plain, size, three_digits};
use roundel::plan::{Constraints, Direction, Mode, Plan, Profile, Request, candidates, plan_with};
use roundel::{Cipher, Error, Policy, Standing, Timing};
use serde::Serialize;

/// A plan, and the ways that were not taken.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// Cipher, key, mode and message in words.
    pub request: String,
    /// What would run.
    pub plan: Way,
    /// The other options, cheapest first, those that the constraints exclude among them.
    pub others: Vec<Way>,
    /// Whether the costs were measured on this machine.
    pub measured: bool,
}

/// One way to do it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Way {
    /// The strategy's name.
    pub strategy: &'static str,
    /// Threads.
    pub threads: usize,
    /// What a thread takes at once.
    pub chunk_bytes: u64,
    /// All of it.
    pub predicted_ns: Option<f64>,
    /// Of that, the key's share.
    pub setup_ns: f64,
    /// Of that, starting threads.
    pub threads_ns: f64,
    /// Whether memory sets the rate.
    pub memory_bound: bool,
    /// Why it may not run, if so.
    pub excluded: Option<&'static str>,
}

impl Way {
    fn new(plan: &Plan, constraints: &Constraints) -> Way {
        let strategy = plan.choice.strategy;
        let excluded = if constraints.policy == Policy::ConstantTime && strategy.timing != Timing::Constant {
            Some("its timing depends on secrets: --allow-timing-leaks")
        } else if !constraints.allow(&plan.choice) {
            Some("it takes more memory than allowed: --allow-memory")
        } else {
            None
        };
        Way {
            strategy: strategy.name,
            threads: plan.threads,
            chunk_bytes: plan.chunk_bytes,
            predicted_ns: plan.predicted_ns,
            setup_ns: plan.setup_ns,
            threads_ns: plan.threads_ns,
            memory_bound: plan.memory_bound,
            excluded,
        }
    }

    fn ns(&self) -> f64 {
        self.predicted_ns.unwrap_or(f64::NAN)
    }
}

/// Refuses a key or a mode that the cipher does not take.
pub fn check(cipher: &'static Cipher, mode: Mode, key_bytes: usize) -> Result<(), Error> {
    if !cipher.keys.accepts(key_bytes) {
        let takes = cipher.keys.describe();
        return Err(Error::KeyLength { cipher: cipher.name, bytes: key_bytes, takes });
    }
    if !mode.operation(Direction::Encrypt).defined_for(cipher.block_bytes) {
        let mode = if mode == Mode::Xts { "XTS" } else { "GCM" };
        return Err(Error::BlockSize { mode, block_bytes: cipher.block_bytes });
    }
    Ok(())
}

/// Plans, and looks at all other ways, excluded ones too.
pub fn planned(request: &Request, profile: &Profile) -> Result<Planned, Error> {
    let plan = plan_with(request, profile)?;
    let everything =
        Constraints { policy: Policy::AnyTiming, memory_bytes: usize::MAX, ..request.constraints };
    let others = candidates(&Request { constraints: everything, ..*request }, profile);
    let others = others.iter().filter(|other| other.choice.strategy.name != plan.choice.strategy.name);
    Ok(Planned {
        request: in_words(request),
        plan: Way::new(&plan, &request.constraints),
        others: others.map(|other| Way::new(other, &request.constraints)).collect(),
        measured: profile.measured,
    })
}

fn in_words(request: &Request) -> String {
    let key = match request.messages_per_key {
        Request::KEPT => "a key that is kept".to_owned(),
        1 => "a fresh key each".to_owned(),
        n => format!("{n} messages to a key"),
    };
    let bytes = request.message_bytes;
    let length = usize::try_from(bytes).map_or_else(|_| format!("{bytes} B"), size);
    format!(
        "{} under {} bits, {} {}, messages of {length}, {key}",
        request.cipher.name,
        8 * request.key_bytes,
        request.mode.name(),
        if request.direction == Direction::Decrypt { "decryption" } else { "encryption" },
    )
}

/// The plan in sentences for a terminal of this width; with `explain` what each way would take, and of what that is made.
pub fn render(planned: &Planned, explain: bool, width: Option<usize>) -> String {
    let Planned { plan, others, .. } = planned;
    let request = plain::wrapped(&format!("{}:", planned.request), width);
    let mut way = plan.strategy.to_owned();
    if plan.threads > 1 {
        way += &format!(" on {} threads, {} bytes at a time", plan.threads, plan.chunk_bytes);
    }
    match plan.predicted_ns {
        Some(ns) => way += &format!(", {} ns", three_digits(ns)),
        None => way += ", by order of preference: nothing is known of its cost",
    }
    let mut text = format!("{request}\n{}\n", plain::indented(&way, width));
    if explain {
        text += &ways(planned, width);
        text += "\n\n";
    } else if !others.is_empty() {
        let runners_up: Vec<_> = others
            .iter()
            .take(3)
            .map(|other| {
                let mark = if other.excluded.is_some() { " (excluded)" } else { "" };
                format!("{} {} ns{mark}", other.strategy, three_digits(other.ns()))
            })
            .collect();
        text += &plain::wrapped(&format!("Runners-up: {}.", runners_up.join(", ")), width);
    }
    for sentence in why(planned) {
        text += &plain::wrapped(&sentence, width);
    }
    text
}

fn ways(planned: &Planned, width: Option<usize>) -> String {
    let headings =
        ["strategy", "total ns", "key ns", "message ns", "threads", "threads ns", "times", "remarks"];
    let least = planned.plan.ns();
    let rows: Vec<Vec<String>> = std::iter::once(&planned.plan)
        .chain(&planned.others)
        .map(|way| {
            let message = way.ns() - way.setup_ns - way.threads_ns;
            let memory = if way.memory_bound { Some("memory sets the rate") } else { None };
            vec![
                way.strategy.to_owned(),
                three_digits(way.ns()),
                three_digits(way.setup_ns),
                three_digits(message),
                way.threads.to_string(),
                three_digits(way.threads_ns),
                format!("{:.2}", way.ns() / least),
                memory.into_iter().chain(way.excluded).collect::<Vec<_>>().join("; "),
            ]
        })
        .collect();
    plain::table(&headings, &rows, &[5, 4, 6, 2, 3], width)
}

const ESTIMATES: &str = "Costs are built-in estimates: `roundel tune` measures this machine.";

fn why(planned: &Planned) -> Vec<String> {
    let Planned { plan, others, .. } = planned;
    let mut sentences = Vec::new();
    let allowed = others.iter().find(|other| other.excluded.is_none());
    if let (Some(second), Some(_)) = (allowed, plan.predicted_ns) {
        let slower = 100.0 * (second.ns() / plan.ns() - 1.0);
        let (key, message) = (second.setup_ns - plan.setup_ns, second.ns() - plan.ns());
        let because = match (key > 0.5 * message, key < 0.0) {
            (true, _) => "its key costs more than its messages gain",
            (_, true) => "its key is cheaper, its messages are dearer",
            _ => "its messages are dearer",
        };
        let cheapest = format!("{} is the cheapest that is allowed; {}", plan.strategy, second.strategy);
        sentences.push(match slower < 0.5 {
            true => format!("{cheapest} would take about as long."),
            false => format!("{cheapest} would take {slower:.0} % more: {because}."),
        });
    }
    if let Some(faster) = others.iter().find(|other| other.excluded.is_some() && other.ns() < plan.ns()) {
        sentences.push(format!(
            "{} would take {:.2} of the time, but {}.",
            faster.strategy,
            faster.ns() / plan.ns(),
            faster.excluded.unwrap_or_default()
        ));
    }
    if !planned.measured {
        sentences.push(ESTIMATES.to_owned());
    }
    sentences
}

/// The best option for a length of message.
#[derive(Clone, Debug, Serialize)]
pub struct BestRow {
    /// Length of the message.
    pub bytes: u64,
    /// Under a fresh key each.
    pub fresh: Best,
    /// Under a key that is kept.
    pub kept: Best,
}

/// The best option, and the next.
#[derive(Clone, Debug, Serialize)]
pub struct Best {
    /// The cipher's name.
    pub cipher: &'static str,
    /// The strategy's name.
    pub strategy: &'static str,
    /// The key.
    pub setup_ns: f64,
    /// Key and message.
    pub predicted_ns: f64,
    /// The second best: cipher, strategy and nanoseconds. Across ciphers it is another cipher.
    pub second: Option<(&'static str, &'static str, f64)>,
}

/// Lengths of the table: 16 bytes to 1 MiB.
const LENGTHS: std::ops::RangeInclusive<u32> = 4..=20;

/// The best option for each length, for one cipher, or across several. Of several, each is there once.
pub fn best_options(
    ciphers: &[&'static Cipher],
    key_bytes: usize,
    mode: Mode,
    constraints: Constraints,
    profile: &Profile,
) -> Vec<BestRow> {
    let best = |make: fn(&'static Cipher, usize, Mode, u64, Constraints) -> Request, bytes| {
        let mut plans: Vec<Plan> = ciphers
            .iter()
            .filter(|cipher| cipher.keys.accepts(key_bytes))
            .flat_map(|cipher| {
                let all = candidates(&make(cipher, key_bytes, mode, bytes, constraints), profile);
                all.into_iter().take(if ciphers.len() > 1 { 1 } else { usize::MAX })
            })
            .collect();
        plans.sort_by(|a, b| {
            a.predicted_ns.unwrap_or(f64::NAN).total_cmp(&b.predicted_ns.unwrap_or(f64::NAN))
        });
        let first = plans.first()?;
        let ns = |plan: &Plan| plan.predicted_ns.unwrap_or(f64::NAN);
        Some(Best {
            cipher: first.choice.cipher.name,
            strategy: first.choice.strategy.name,
            setup_ns: first.setup_ns,
            predicted_ns: ns(first),
            second: plans.get(1).map(|p| (p.choice.cipher.name, p.choice.strategy.name, ns(p))),
        })
    };
    LENGTHS
        .map(|log| 1u64 << log)
        .filter_map(|bytes| {
            let fresh = best(Request::fresh_key, bytes)?;
            Some(BestRow { bytes, fresh, kept: best(Request::kept_key, bytes)? })
        })
        .collect()
}

/// The table of best options for a terminal of this width.
pub fn render_best(
    title: &str,
    rows: &[BestRow],
    across: bool,
    profile: &Profile,
    width: Option<usize>,
) -> String {
    let headings = [
        "message",
        "fresh key",
        "key ns",
        "message ns",
        "ns/byte",
        "next",
        "same key",
        "message ns",
        "ns/byte",
        "next",
    ];
    let name = |cipher: &str, strategy: &str| {
        if across { format!("{cipher} {strategy}") } else { strategy.to_owned() }
    };
    let next = |best: &Best| {
        best.second.map_or(String::new(), |(cipher, strategy, ns)| {
            format!("{} +{:.0} %", name(cipher, strategy), 100.0 * (ns / best.predicted_ns - 1.0))
        })
    };
    let cells = rows.iter().map(|row| {
        let BestRow { bytes, fresh, kept } = row;
        let per_byte = |best: &Best| three_digits(best.predicted_ns / *bytes as f64);
        vec![
            size(*bytes as usize),
            name(fresh.cipher, fresh.strategy),
            three_digits(fresh.setup_ns),
            three_digits(fresh.predicted_ns - fresh.setup_ns),
            per_byte(fresh),
            next(fresh),
            name(kept.cipher, kept.strategy),
            three_digits(kept.predicted_ns),
            per_byte(kept),
            next(kept),
        ]
    });
    let table = plain::table(&headings, &cells.collect::<Vec<_>>(), &[9, 5, 2, 3, 7], width);
    let mut text = format!("{}\n{table}\n", plain::wrapped(title, width));
    if !profile.measured {
        text += &format!("\n{}", plain::wrapped(ESTIMATES, width));
    }
    text
}

/// The ciphers that a question across ciphers is about: those known to be sound, or all.
pub fn comparable(all: bool) -> Vec<&'static Cipher> {
    let ciphers = roundel::CIPHERS.iter().copied();
    ciphers.filter(|cipher| all || cipher.standing == Standing::Sound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use roundel::plan::{Costs, Curve, KNOTS, Machine, OPERATIONS};

    /// Twofish: reference (constant time) 100 + 1000 a block, the last strategy 5000 + 10 a block.
    fn profile() -> Profile {
        let mut profile = Profile::new(Machine {
            thread_start_ns: 20e3,
            speed_up: vec![1.0, 1.8],
            memory_byte_ns: vec![0.1, 0.1],
            near_bytes: 1 << 18,
            far_bytes: 1 << 25,
        });
        let twofish = roundel::cipher("twofish").unwrap();
        let dear = twofish.strategies.iter().position(|strategy| strategy.name == "full").unwrap();
        for (index, setup_ns, batch_ns) in [(0, 100.0, 1000.0), (dear, 5000.0, 10.0)] {
            let mut short_ns = [0.0; KNOTS.len()];
            short_ns[0] = batch_ns;
            let curve = Curve {
                setup_ns,
                warm_ns: 0.0,
                cold_ns: 0.0,
                call_ns: 0.0,
                batch_blocks: 1,
                batch_ns,
                short_ns,
            };
            let mut costs = Costs::default();
            OPERATIONS.into_iter().for_each(|operation| costs.set(operation, curve));
            profile.set(twofish, index, 16, costs);
        }
        profile.measured = true;
        profile
    }

    fn request(policy: Policy, bytes: u64) -> Request {
        let twofish = roundel::cipher("twofish").unwrap();
        let constraints = Constraints { policy, ..Constraints::default() };
        Request::fresh_key(twofish, 16, Mode::Ctr, bytes, constraints)
    }

    #[test]
    fn a_plan_says_what_it_beats_and_what_was_excluded() {
        let profile = profile();
        let text = render(&planned(&request(Policy::ConstantTime, 1024), &profile).unwrap(), false, None);
        assert!(text.starts_with("twofish under 128 bits, ctr encryption, messages of 1 KiB, a fresh key each:\n\n  reference, 64100 ns"), "{text}");
        assert!(text.contains("Runners-up: full 5640 ns (excluded)."), "{text}");
        assert!(
            text.contains(
                "full would take 0.09 of the time, but its timing depends on secrets: --allow-timing-leaks."
            ),
            "{text}"
        );
        let text = render(&planned(&request(Policy::AnyTiming, 1024), &profile).unwrap(), true, None);
        let row = text.lines().find(|line| line.trim_start().starts_with("reference")).unwrap();
        let cells: Vec<_> = row.split_whitespace().collect();
        assert_eq!(cells, ["reference", "64100", "100", "64000", "1", "0.000", "11.37"], "{text}");
        assert!(text.replace('\n', " ").contains("full is the cheapest that is allowed; reference would take 1037 % more: its key is cheaper, its messages are dearer."), "{text}");
    }

    #[test]
    fn the_table_has_the_crossover() {
        let twofish = roundel::cipher("twofish").unwrap();
        let constraints = Constraints { policy: Policy::AnyTiming, ..Constraints::default() };
        let rows = best_options(&[twofish], 16, Mode::Ctr, constraints, &profile());
        assert_eq!((rows.len(), rows[0].bytes, rows[16].bytes), (17, 16, 1 << 20));
        let fresh: Vec<_> = rows.iter().map(|row| row.fresh.strategy).take(5).collect();
        // Equal at 4900 / 990 blocks: 79 bytes.
        assert_eq!(fresh, ["reference", "reference", "reference", "full", "full"]);
        assert!(rows.iter().all(|row| row.kept.strategy == "full"));
        let text = render_best("t", &rows, false, &profile(), None);
        assert!(text.lines().any(|line| line.contains("64 B") && line.contains("full +23 %")), "{text}");
        assert!(comparable(false).len() < comparable(true).len());
    }
}
