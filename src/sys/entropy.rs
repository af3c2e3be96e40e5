//! Random bytes.

use std::sync::{Arc, Mutex};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::Env;

/// The operating system's randomness, or a seeded sequence for tests.
#[derive(Debug, Clone)]
pub enum Entropy {
    System,
    Seeded(Arc<Mutex<StdRng>>, u64),
}

impl Entropy {
    pub(super) fn from_env(env: &Env) -> Self {
        let seed = env.var("BD_TEST_SEED").and_then(|text| text.parse().ok());
        seed.map_or(Entropy::System, Entropy::seeded)
    }

    pub fn seeded(seed: u64) -> Self {
        Entropy::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))), seed)
    }

    /// Restarts a seeded sequence, so that each of several operations draws the same values as a separate command
    /// would.
    pub fn begin_again(&self) {
        if let Entropy::Seeded(rng, seed) = self {
            *rng.lock().expect("no holder panics") = StdRng::seed_from_u64(*seed);
        }
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match self {
            Entropy::System => rand::rng().fill_bytes(&mut bytes),
            Entropy::Seeded(rng, _) => rng.lock().expect("no holder panics").fill_bytes(&mut bytes),
        }
        bytes
    }

    /// A number that every JSON reader can hold: positive and below 2^53.
    pub fn comment_id(&self) -> i64 {
        (i64::from_le_bytes(self.bytes()) & ((1 << 53) - 1)).max(1)
    }
}
