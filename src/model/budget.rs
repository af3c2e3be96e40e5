//! Fits texts into a token budget: each has a share, and unused shares go to the others.
//!
//! Tokens are estimated as bytes divided by four, rounded up, without a tokenizer; for English prose the estimate is a
//! little high.

const BYTES_PER_TOKEN: usize = 4;

pub fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// A text, cut if necessary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fitted {
    pub text: String,
    /// The number of bytes that were cut.
    pub left_out: usize,
}

/// Cuts texts so that together they have at most `max_tokens` tokens. Each comes with its share in percent.
pub fn fit(texts: &[(usize, String)], max_tokens: usize) -> Vec<Fitted> {
    let mut left = max_tokens.saturating_mul(BYTES_PER_TOKEN);
    let mut limits: Vec<Option<usize>> = vec![None; texts.len()];
    loop {
        let open: Vec<usize> = (0..texts.len()).filter(|n| limits[*n].is_none()).collect();
        let whole: usize = open.iter().map(|n| texts[*n].0).sum();
        let share = |n: usize| (left as u128 * texts[n].0 as u128 / whole.max(1) as u128) as usize;
        let small: Vec<usize> = open.iter().copied().filter(|n| texts[*n].1.len() <= share(*n)).collect();
        if small.is_empty() {
            open.iter().for_each(|n| limits[*n] = Some(share(*n)));
            break;
        }
        for n in small {
            limits[n] = Some(texts[n].1.len());
            left -= texts[n].1.len();
        }
    }
    texts.iter().zip(limits).map(|((_, text), limit)| cut(text, limit.unwrap_or(0))).collect()
}

/// The beginning of a text, at most `limit` bytes with a note about the cut. It ends at a line end, unless that would
/// drop more than half of it.
fn cut(text: &str, limit: usize) -> Fitted {
    if text.len() <= limit {
        return Fitted { text: text.to_owned(), left_out: 0 };
    }
    let mark = |bytes: usize| format!("[{bytes} bytes left out]\n");
    let none = Fitted { text: String::new(), left_out: text.len() };
    // The note about the whole text is the longest; a line feed may precede it.
    let Some(room) = limit.checked_sub(mark(text.len()).len() + 1) else { return none };
    let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let line_end = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let end = if line_end > end / 2 { line_end } else { end };
    let kept = &text[..end];
    let feed = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
    let left_out = text.len() - end;
    Fitted { text: format!("{kept}{feed}{}", mark(left_out)), left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        "0123456\n".repeat(count)
    }

    #[test]
    fn what_fits_is_left_alone() {
        let fitted = fit(&[(15, lines(1)), (85, lines(9))], 20);
        assert_eq!(fitted, [(1, 0), (9, 0)].map(|(count, left_out)| Fitted { text: lines(count), left_out }));
    }

    #[test]
    fn unused_shares_go_to_the_others() {
        let fitted = fit(&[(50, lines(1)), (50, lines(100))], 100);
        assert_eq!(fitted[0].text, lines(1));
        assert!((350..=392).contains(&fitted[1].text.len()), "{}", fitted[1].text.len());
        assert_eq!(fitted[1].text.lines().last(), Some("[432 bytes left out]"));
        assert_eq!(fitted[1].text.lines().count(), 47);
    }

    #[test]
    fn one_long_line_is_cut_inside() {
        let fitted = fit(&[(100, "é".repeat(1000))], 25);
        assert!(fitted[0].text.starts_with("éééé") && fitted[0].text.len() <= 100, "{}", fitted[0].text);
        assert!(fitted[0].text.ends_with("bytes left out]\n"), "{}", fitted[0].text);
    }

    #[test]
    fn never_over_the_budget() {
        for max in 0..300 {
            for sizes in [[0, 0, 0], [1, 50, 3], [100, 1, 30], [90, 90, 90], [0, 0, 500]] {
                let texts: Vec<_> = [15, 55, 30].into_iter().zip(sizes.map(lines)).collect();
                let fitted = fit(&texts, max);
                let bytes: usize = fitted.iter().map(|one| one.text.len()).sum();
                assert!(tokens(bytes) <= max, "{max} {sizes:?}: {bytes}");
                for (one, (_, text)) in fitted.iter().zip(&texts) {
                    assert_eq!(one.left_out == 0, one.text == *text, "{max} {sizes:?}");
                }
            }
        }
    }
}
