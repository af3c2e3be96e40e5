//! Actions on claims: claim, renew, hand out, release. The claims themselves are read in `leases`.

mod claim;
mod handout;
mod lock;
mod overruled;
mod release;
mod renew;
mod wish;

pub use handout::NotHandedOut;
pub use lock::LockedWorkflow;
pub use overruled::Overruled;
pub use release::{Reclaimed, ReleaseWish, Released};
pub use wish::{AutoClaim, ClaimWish, Claimed, Evidence};
