//! The choice: every strategy that the constraints allow, on 1, 2, 4, ... threads; the cheapest wins.

use super::cost::{Curve, Machine, Profile, SealCosts};
use super::data::{Mode, Plan, Request};
use crate::{Choice, Error};

/// What a thread takes at once: 192 KiB stay in a second-level cache, and are a multiple of every block length.
const CHUNK_BYTES: u64 = 3 << 16;

/// Smaller pieces than this are not worth handing out.
const LEAST_CHUNK_BYTES: u64 = 3 << 12;

/// Pieces for each thread, so that one that starts late does not hold up the rest.
const CHUNKS_PER_THREAD: u64 = 4;

/// A sealed file's unit, and how many a thread takes at once (`roundel-seal`).
const SEALED_CHUNK_BYTES: u64 = 16 << 10;
const SEAL_JOB_BYTES: u64 = 32 * SEALED_CHUNK_BYTES;

/// The plan of lowest predicted cost. Where the profile knows nothing of the cipher: its preferred strategy, on one thread.
pub fn plan_with(request: &Request, profile: &Profile) -> Result<Plan, Error> {
    let mut best: Option<(f64, Plan)> = None;
    let costs = profile.strategies(request.cipher, request.key_bytes);
    let operation = request.mode.operation(request.direction);
    for (strategy, costs) in request.cipher.strategies.iter().zip(costs) {
        let choice = Choice { cipher: request.cipher, strategy };
        let Some(curve) = costs.as_ref().and_then(|costs| costs.curve(operation)) else { continue };
        if request.constraints.allow(&choice) {
            let plan = cheapest(request, profile, choice, curve);
            let ns = plan.predicted_ns.unwrap_or(f64::INFINITY);
            if best.is_none_or(|(least, _)| ns < least) {
                best = Some((ns, plan));
            }
        }
    }
    best.map_or_else(|| unknown(request), |(_, plan)| Ok(plan))
}

/// The cheapest plan of every strategy that the constraints allow, cheapest first.
pub fn candidates(request: &Request, profile: &Profile) -> Vec<Plan> {
    let costs = profile.strategies(request.cipher, request.key_bytes);
    let operation = request.mode.operation(request.direction);
    let plan = |choice: Choice, index: usize| {
        let curve = costs.get(index)?.as_ref()?.curve(operation)?;
        request.constraints.allow(&choice).then(|| cheapest(request, profile, choice, curve))
    };
    let mut plans: Vec<Plan> =
        request.cipher.choices().enumerate().filter_map(|(index, choice)| plan(choice, index)).collect();
    plans.sort_by(|a, b| {
        a.predicted_ns.unwrap_or(f64::INFINITY).total_cmp(&b.predicted_ns.unwrap_or(f64::INFINITY))
    });
    plans
}

/// What a strategy is predicted to take on this many threads; `None` where the profile does not know it.
pub fn cost_of(request: &Request, profile: &Profile, choice: Choice, threads: usize) -> Option<Plan> {
    let index = request.cipher.strategies.iter().position(|own| std::ptr::eq(own, choice.strategy))?;
    let costs = profile.strategies(request.cipher, request.key_bytes).get(index)?.as_ref()?;
    let curve = costs.curve(request.mode.operation(request.direction))?;
    Some(on_threads(request, profile, choice, curve, threads))
}

/// The preferred strategy that the constraints allow, on one thread.
fn unknown(request: &Request) -> Result<Plan, Error> {
    let choice = request
        .cipher
        .choices()
        .rev()
        .find(|choice| request.constraints.allow(choice))
        .ok_or(Error::NoStrategy { cipher: request.cipher.name })?;
    Ok(Plan {
        choice,
        threads: 1,
        chunk_bytes: request.message_bytes,
        predicted_ns: None,
        setup_ns: 0.0,
        threads_ns: 0.0,
        memory_bound: false,
    })
}

/// On as many threads as pay: 1, 2, 4, ... and all.
fn cheapest(request: &Request, profile: &Profile, choice: Choice, curve: &Curve) -> Plan {
    let one = on_threads(request, profile, choice, curve, 1);
    let cores = usize::from(request.constraints.cores);
    let starts_ns = f64::from(profile.machine.thread_start_ns);
    // Two threads gain half of the time at most.
    let pays = |plan: &Plan| plan.predicted_ns.is_some_and(|ns| ns > 2.0 * starts_ns);
    if cores < 2 || !request.mode.splits(request.direction) || !pays(&one) {
        return one;
    }
    let mut best = one;
    let mut threads = 2;
    loop {
        let threads_now = threads.min(cores);
        let plan = on_threads(request, profile, choice, curve, threads_now);
        if plan.predicted_ns < best.predicted_ns {
            best = plan;
        }
        if threads_now == cores {
            return best;
        }
        threads *= 2;
    }
}

fn on_threads(request: &Request, profile: &Profile, choice: Choice, curve: &Curve, threads: usize) -> Plan {
    // A thread without a piece is never started.
    let pieces = request.message_bytes.div_ceil(chunk(request, threads)).max(1);
    let threads = threads.clamp(1, usize::try_from(pieces).unwrap_or(usize::MAX));
    let block_bytes = request.cipher.block_bytes as u64;
    let blocks = request.message_bytes.div_ceil(block_bytes);
    let setup_ns = match request.mode {
        // A key for each block: it is part of the message.
        Mode::Hash => 0.0,
        _ if request.messages_per_key == Request::KEPT => 0.0,
        _ => curve.key_ns(blocks) / request.messages_per_key.max(1) as f64,
    };
    let cold_ns = if request.cold { f64::from(curve.cold_ns) } else { 0.0 };
    let bulk = match request.mode {
        Mode::Hash => Bulk::in_cache(blocks as f64 * (curve.key_ns(1) + curve.message_ns(1))),
        Mode::Seal => sealed(request, profile, curve, threads),
        _ => message(request, &profile.machine, curve, threads),
    };
    let threads_ns = (threads - 1) as f64 * f64::from(profile.machine.thread_start_ns);
    Plan {
        choice,
        threads,
        chunk_bytes: if threads == 1 { request.message_bytes } else { chunk(request, threads) },
        predicted_ns: Some(setup_ns + cold_ns + bulk.ns + threads_ns),
        setup_ns,
        threads_ns,
        memory_bound: bulk.memory_bound,
    }
}

/// What a thread takes at once.
fn chunk(request: &Request, threads: usize) -> u64 {
    match request.mode {
        Mode::Seal => SEAL_JOB_BYTES,
        _ => {
            let even = request.message_bytes / (threads as u64 * CHUNKS_PER_THREAD);
            (even / LEAST_CHUNK_BYTES * LEAST_CHUNK_BYTES).clamp(LEAST_CHUNK_BYTES, CHUNK_BYTES)
        }
    }
}

/// The time of the bytes themselves.
struct Bulk {
    ns: f64,
    memory_bound: bool,
}

impl Bulk {
    fn in_cache(ns: f64) -> Bulk {
        Bulk { ns, memory_bound: false }
    }

    /// The part that lies in main memory moves at the rate of both together: whichever is slower hides most of the other.
    fn with_memory(self, machine: &Machine, bytes: u64, threads: usize) -> Bulk {
        let share = machine.far_share(bytes);
        if share <= 0.0 || bytes == 0 {
            return self;
        }
        let memory_ns = bytes as f64 * machine.memory_byte_ns(threads);
        let both = together(self.ns, memory_ns);
        Bulk { ns: self.ns + share * (both - self.ns), memory_bound: memory_ns > self.ns }
    }
}

/// Two times that overlap but for what they get in each other's way: the fourth root of the sum of fourth powers, between the larger one and
/// the sum.
fn together(a: f64, b: f64) -> f64 {
    let (a2, b2) = (a * a, b * b);
    (a2 * a2 + b2 * b2).sqrt().sqrt()
}

fn message(request: &Request, machine: &Machine, curve: &Curve, threads: usize) -> Bulk {
    let block_bytes = request.cipher.block_bytes as u64;
    let bytes = request.message_bytes;
    if threads == 1 {
        return Bulk::in_cache(curve.message_ns(bytes.div_ceil(block_bytes))).with_memory(machine, bytes, 1);
    }
    let chunk_bytes = chunk(request, threads);
    let chunks = bytes.div_ceil(chunk_bytes);
    let chunk_ns = curve.message_ns(chunk_bytes / block_bytes);
    // Whole rounds of chunks; the last round may leave threads idle.
    let rounds = chunks.div_ceil(threads as u64) as f64;
    let efficiency = machine.speed_up(threads) / threads as f64;
    Bulk::in_cache(rounds * chunk_ns / efficiency).with_memory(machine, bytes, threads)
}

fn sealed(request: &Request, profile: &Profile, curve: &Curve, threads: usize) -> Bulk {
    let bytes = request.message_bytes;
    let tag_only = curve.message_ns(0);
    let (chunks, rest) = (bytes / SEALED_CHUNK_BYTES, bytes % SEALED_CHUNK_BYTES);
    let chunk_ns = curve.message_ns(SEALED_CHUNK_BYTES / 16);
    let cipher_ns = chunks as f64 * chunk_ns + curve.message_ns(rest.div_ceil(16)).max(tag_only);
    let file = profile.seal.unwrap_or(SealCosts { file_ns: 0.0, byte_ns: 0.0, speed_up: 2.0 });
    let work_ns = cipher_ns + bytes as f64 * f64::from(file.byte_ns);
    let per_thread = (f64::from(file.speed_up) / 2.0).clamp(0.5, 1.0);
    let speed_up = if threads == 1 { 1.0 } else { threads as f64 * per_thread };
    let ns = f64::from(file.file_ns) + work_ns / speed_up;
    let memory_ns = bytes as f64 * profile.machine.memory_byte_ns(threads);
    Bulk { ns: ns.max(memory_ns), memory_bound: memory_ns > ns }
}
