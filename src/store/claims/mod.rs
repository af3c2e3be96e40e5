//! Actions on claims: claim, renew, hand out, release. The claims themselves are read in `leases`.

mod acquire;
mod handout;
mod overruled;
mod release;
mod renew;
mod wish;
mod workflow_lock;

pub use handout::NotHandedOut;
pub use overruled::Overruled;
pub use release::{Reclaimed, ReleaseWish, Released};
pub use wish::{AutoClaim, ClaimWish, Claimed, Evidence};
pub use workflow_lock::LockedWorkflow;
