//! Finds lines of a file in commits, newest commits first.

use std::path::Path;

use super::call::{Client, exactly, union};
use super::here::Here;
use crate::model::time::SECOND;
use crate::vcs::SyncError;
use crate::vcs::lines::{DatedLine, Reach, Wanted};

/// The limit for versions; a line not found by then counts as not committed.
const MOST: usize = 2000;

/// For each line whether a version of the file, named from the root, contains it.
pub(super) fn committed_lines(
    client: &Client<'_>,
    file: &Path,
    lines: &[DatedLine<'_>],
    reach: Reach,
) -> Option<Vec<bool>> {
    let mut wanted = Wanted::new(lines);
    search(client, file, reach, &mut wanted).ok()?;
    Some(wanted.found())
}

fn search(client: &Client<'_>, file: &Path, reach: Reach, wanted: &mut Wanted<'_>) -> Result<(), SyncError> {
    let Some(name) = file.to_str().filter(|_| wanted.oldest().is_some()) else { return Ok(()) };
    let set = match reach {
        Reach::Any => "all()".to_owned(),
        Reach::Remote => {
            let heads = super::remote::Known::read(client).heads(&Here::branch_of(client));
            format!("(public() + ::({}))", union(&heads))
        }
    };
    let set = format!("--rev=sort({set} and file({}), -date)", exactly(name));
    let command = ["log", &set, &format!("--limit={MOST}"), "--template={node} {date|hgdate}\\n"];
    let output = client.must(&[], &command, &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        let Some((commit, date)) = line.split_once(' ') else { continue };
        let seconds: Option<i64> = date.split(' ').next().and_then(|seconds| seconds.parse().ok());
        let is_recent = |oldest| seconds.is_some_and(|seconds| seconds.saturating_mul(SECOND) >= oldest);
        if !wanted.oldest().is_some_and(is_recent) {
            break;
        }
        client.cat(commit, file)?.into_iter().for_each(|bytes| wanted.see(&bytes));
    }
    Ok(())
}
