//! Which strategy, on how many threads: a request and the costs of this machine go in, a plan comes out.
//!
//! | file | what is there |
//! |---|---|
//! | `data` | [`Request`], [`Constraints`] and [`Plan`]: plain data |
//! | `cost` | the model: [`Curve`], [`Costs`], [`Machine`] and [`Profile`] |
//! | `planner` | [`plan_with`] and [`candidates`]: the lowest predicted cost under the constraints |
//! | `current` | the profile in force, and plans remembered by each thread: [`plan`] |
//! | `stored` | a profile as text, with its [`Fingerprint`] |
//! | `estimates` | what is assumed where nothing was measured |
//!
//! ```
//! use roundel::{cipher, plan::{Constraints, Mode, Request, plan}};
//!
//! let request = Request::fresh_key(cipher("aes")?, 16, Mode::Ctr, 64, Constraints::default());
//! let plan = plan(&request)?;
//! assert_eq!(plan.threads, 1, "64 bytes are not worth a thread");
//! # Ok::<(), roundel::Error>(())
//! ```

mod cost;
mod current;
mod data;
pub mod estimates;
mod planner;
mod stored;
#[cfg(test)]
mod tests;

pub use cost::{CipherCosts, Costs, Curve, KNOTS, MAX_CORES, Machine, Profile, SealCosts};
pub use current::{current, install, plan};
pub use data::{Constraints, Direction, Mode, OPERATIONS, Operation, Plan, Request};
pub use planner::{candidates, cost_of, plan_with};
pub use stored::{Fingerprint, StoredError, from_text, registry_hash, to_text};
