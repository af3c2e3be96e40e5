//! What commands cost, beside what they must cost at least, an earlier version and other programs: `docs/benchmarks.md` explains
//! the settings and what is measured.

mod ledger;
mod library;
mod measure;
mod report;
mod subject;

fn main() {
    // `cargo test --benches` passes --test: a test of `proofs` runs the short form.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let settings = measure::Settings::from_env();
    measure::run(&settings, &mut |text| print!("{text}"));
    if settings.library {
        library::run(&settings);
    }
}
