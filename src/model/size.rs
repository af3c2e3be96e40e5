//! File sizes as people type and read them: `25k`, `1M`, `30000`.

/// Parses a size into bytes; `k` is 1024 bytes, then `M`, `G` and `T`, with or without `B` or `iB`.
pub fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let count: u64 = text[..unit_at].parse().ok()?;
    let unit: u64 = match text[unit_at..].trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    };
    count.checked_mul(unit)
}

/// A number of bytes in short form.
pub fn text(bytes: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = bytes.saturating_mul(10) / unit;
        if tenths.is_multiple_of(10) { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
    };
    match bytes {
        1 => "1 byte".to_owned(),
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KB", tenths(1 << 10)),
        1_048_576..1_073_741_824 => format!("{} MB", tenths(1 << 20)),
        _ => format!("{} GB", tenths(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_typed() {
        for (typed, bytes) in [
            ("0", Some(0)),
            ("30000", Some(30_000)),
            ("25k", Some(25_600)),
            (" 25 KB ", Some(25_600)),
            ("25KiB", Some(25_600)),
            ("1M", Some(1_048_576)),
            ("10G", Some(10_737_418_240)),
            ("1T", Some(1 << 40)),
            ("7 b", Some(7)),
            ("", None),
            ("k", None),
            ("-5", None),
            ("+5", None),
            ("1.5k", None),
            ("5x", None),
            ("99999999999999999999", None),
            ("18446744073709551615k", None),
        ] {
            assert_eq!(parse(typed), bytes, "{typed:?}");
        }
    }

    #[test]
    fn sizes_as_read() {
        for (bytes, read) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KB"),
            (26_000, "25.3 KB"),
            (3 << 20, "3 MB"),
            (5 << 29, "2.5 GB"),
        ] {
            assert_eq!(text(bytes), read);
        }
        assert!(text(u64::MAX).ends_with(" GB"));
    }
}
