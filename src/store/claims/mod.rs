//! Claims as acts: taking, renewing, handing out and giving back work. What claims there are is in `leases`.

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
