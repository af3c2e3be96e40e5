//! Finds lines of a file in commits, newest commits first.

use std::path::Path;

use super::call::{Client, exactly, union};
use super::here::Here;
use super::texts::{Place, read};
use crate::model::time::SECOND;
use crate::vcs::SyncError;
use crate::vcs::lines::{DatedLine, Reach, Wanted};

/// The limit for versions; a line not found by then counts as not committed.
const MOST: usize = 2000;
/// The number of versions that are read at once.
const SOME: usize = 20;

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
    let commits = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.next()?.parse::<i64>().ok()?))
    });
    let commits: Vec<(String, i64)> = commits.collect();
    for some in commits.chunks(SOME) {
        let Some(oldest) = wanted.oldest() else { break };
        let recent = some.iter().filter(|(_, seconds)| seconds.saturating_mul(SECOND) >= oldest);
        let places: Vec<Place> =
            recent.map(|(commit, _)| Place { commit: commit.clone(), file: file.to_owned() }).collect();
        if places.is_empty() {
            break;
        }
        read(client, &places, &mut |_, bytes| bytes.into_iter().for_each(|bytes| wanted.see(&bytes)))?;
    }
    Ok(())
}
