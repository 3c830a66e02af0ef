//! The profile in force, and plans that each thread remembers.

use super::cost::Profile;
use super::data::{Plan, Request};
use super::{estimates, planner::plan_with};
use crate::{Error, simd};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

static CURRENT: LazyLock<RwLock<Arc<Profile>>> =
    LazyLock::new(|| RwLock::new(Arc::new(estimates::profile(simd::cap()))));

/// Counts installed profiles, from 1: remembered plans of others are not used.
static GENERATION: AtomicU32 = AtomicU32::new(1);

/// Makes this the profile by which [`plan`] plans from now on, on all threads.
pub fn install(profile: Profile) {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(profile);
    GENERATION.fetch_add(1, Ordering::Release);
}

/// The profile in force: the one installed last, else the built-in estimates for this CPU's level.
pub fn current() -> Arc<Profile> {
    CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A remembered plan: generation and level cap under which it was made.
type Slot = Option<(u32, Request, Plan)>;

/// Plans remembered by a thread: a power of two.
const SLOTS: usize = 16;

thread_local! {
    static PLANS: [Cell<Slot>; SLOTS] = const { [const { Cell::new(None) }; SLOTS] };
}

/// Plans by the profile in force. A request that this thread asked lately is answered from memory.
#[inline]
pub fn plan(request: &Request) -> Result<Plan, Error> {
    let generation = (GENERATION.load(Ordering::Acquire) << 3) | simd::cap() as u32;
    PLANS.with(|plans| {
        let slot = &plans[place(request)];
        match slot.get() {
            Some((made_in, asked, plan)) if made_in == generation && asked == *request => Ok(plan),
            _ => {
                let plan = plan_with(request, &current())?;
                slot.set(Some((generation, *request, plan)));
                Ok(plan)
            }
        }
    })
}

/// Where a request is remembered: by its cipher, length, key and mode.
#[inline]
fn place(request: &Request) -> usize {
    let mixed = (request.cipher as *const _ as usize as u64)
        ^ request.message_bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (request.key_bytes as u64) << 32
        ^ (request.mode as u64) << 40
        ^ request.messages_per_key;
    (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 60) as usize
}
