//! A Markdown page with console blocks: lines that start with `$ ` are commands, what follows is their output.
//!
//! In an output a line `...` stands for any number of lines, and `[exit N]` for an exit code that is not 0.

use std::fmt::Write as _;

#[derive(Debug)]
pub struct Page {
    name: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    /// A line outside of console blocks, or one that opens or closes a block.
    Text(String),
    Step(Step),
}

#[derive(Debug)]
pub struct Step {
    /// The line of the page, from 1.
    line: usize,
    pub command: String,
    expected: Vec<String>,
}

const ANY: &str = "...";

impl Page {
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut in_block = false;
        for (n, line) in text.lines().enumerate() {
            let opens = !in_block && line == "```console";
            let closes = in_block && line == "```";
            in_block = (in_block || opens) && !closes;
            if opens || closes || !in_block {
                parts.push(Part::Text(line.to_owned()));
            } else if let Some(command) = line.strip_prefix("$ ") {
                let command = command.to_owned();
                parts.push(Part::Step(Step { line: n + 1, command, expected: Vec::new() }));
            } else if let Some(Part::Step(step)) = parts.last_mut() {
                step.expected.push(line.to_owned());
            } else {
                return Err(format!("{name}:{}: output without a command before it: {line}", n + 1));
            }
        }
        if in_block {
            return Err(format!("{name}: a console block is not closed"));
        }
        let page = Page { name: name.to_owned(), parts };
        if page.steps().next().is_none() {
            return Err(format!(
                "{name}: no command in it; a command is a line of a ```console block with \"$ \" before it"
            ));
        }
        Ok(page)
    }

    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().filter_map(|part| match part {
            Part::Step(step) => Some(step),
            Part::Text(_) => None,
        })
    }

    /// Every step whose output is not what the page says, with both texts.
    pub fn compare(&self, shown: &[String]) -> Result<(), String> {
        let mut report = String::new();
        for (step, shown) in self.steps().zip(shown) {
            let shown: Vec<&str> = shown.lines().collect();
            if step.matches(&shown) {
                continue;
            }
            let same =
                step.expected.iter().zip(&shown).take_while(|(expected, shown)| is_same(expected, shown)).count();
            writeln!(report, "{}:{}: $ {}", self.name, step.line + 1 + same, step.command).unwrap();
            shown[..same].iter().for_each(|line| writeln!(report, "  {line}").unwrap());
            step.expected[same..].iter().for_each(|line| writeln!(report, "- {line}").unwrap());
            shown[same..].iter().for_each(|line| writeln!(report, "+ {line}").unwrap());
        }
        if report.is_empty() { Ok(()) } else { Err(format!("the page says -, the commands print +\n{report}")) }
    }

    /// The page with what the commands print; outputs that fit are left as they are.
    pub fn with_outputs(&self, shown: &[String]) -> String {
        let mut shown = shown.iter();
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(line) => writeln!(text, "{line}").unwrap(),
                Part::Step(step) => {
                    writeln!(text, "$ {}", step.command).unwrap();
                    let output = shown.next().map(String::as_str).unwrap_or_default();
                    if step.matches(&output.lines().collect::<Vec<_>>()) {
                        step.expected.iter().for_each(|line| writeln!(text, "{line}").unwrap());
                    } else {
                        text.push_str(output);
                    }
                }
            }
        }
        text
    }
}

impl Step {
    fn matches(&self, shown: &[&str]) -> bool {
        let expected: Vec<&str> = self.expected.iter().map(String::as_str).collect();
        fits(&expected, shown)
    }
}

fn fits(expected: &[&str], shown: &[&str]) -> bool {
    match expected.split_first() {
        None => shown.is_empty(),
        Some((&ANY, rest)) => (0..=shown.len()).any(|skipped| fits(rest, &shown[skipped..])),
        Some((line, rest)) => shown.first().is_some_and(|first| is_same(line, first)) && fits(rest, &shown[1..]),
    }
}

/// How much room something takes on the disk is for the file system to say.
fn is_same(expected: &str, shown: &str) -> bool {
    let parts = |line: &str| -> Vec<String> {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for n in 1..words.len() {
            if words[n] == "KB" && words[n - 1].parse::<u64>().is_ok() {
                words[n - 1] = "\0".to_owned();
            }
        }
        words
    };
    parts(expected) == parts(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# Title\n\n```console\n$ one\na\nb\n$ two\n```\n\n```sh\n$ not run\n```\n\n```console\n$ three\n...\nz\n```\n";

    fn shown(texts: [&str; 3]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    #[test]
    fn commands_are_those_of_console_blocks() {
        let page = Page::parse("a.md", TEXT).unwrap();
        assert_eq!(page.steps().map(|step| step.command.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
    }

    #[test]
    fn sizes_on_the_disk_may_differ_and_nothing_else() {
        assert!(is_same("ws_1  idle  260 KB  used recently", "ws_1  idle  112 KB  used recently"));
        for other in ["ws_2  idle  260 KB", "ws_1  idle  260 bytes", "ws_1  idle 260 KB"] {
            assert!(!is_same("ws_1  idle  260 KB", other), "{other}");
        }
    }

    #[test]
    fn what_the_page_says_passes() {
        let page = Page::parse("a.md", TEXT).unwrap();
        let as_it_says = shown(["a\nb\n", "", "x\ny\nz\n"]);
        assert_eq!(page.compare(&as_it_says), Ok(()));
        assert_eq!(page.with_outputs(&as_it_says), TEXT);
    }

    #[test]
    fn a_wrong_output_is_named_with_its_line() {
        let page = Page::parse("a.md", TEXT).unwrap();
        let report = page.compare(&shown(["a\nc\n", "[exit 1]\n", "z\nx\n"])).unwrap_err();
        let expected = "the page says -, the commands print +
a.md:6: $ one
  a
- b
+ c
a.md:8: $ two
+ [exit 1]
a.md:16: $ three
- ...
- z
+ z
+ x
";
        assert_eq!(report, expected);
    }

    #[test]
    fn outputs_are_written_again_and_the_rest_stays() {
        let page = Page::parse("a.md", TEXT).unwrap();
        let written = page.with_outputs(&shown(["a\nc\n", "[exit 1]\n", "z\n"]));
        assert_eq!(written, TEXT.replace("a\nb\n", "a\nc\n").replace("$ two\n", "$ two\n[exit 1]\n"));
    }

    #[test]
    fn a_page_without_a_command_is_refused() {
        for (text, error) in [
            ("# Title\n", "a.md: no command in it"),
            ("```console\n```\n", "a.md: no command in it"),
            ("```sh\n$ one\n```\n", "a.md: no command in it"),
            ("```console\nlost\n$ one\n```\n", "a.md:2: output without a command before it: lost"),
            ("```console\n$ one\n", "a.md: a console block is not closed"),
        ] {
            let refused = Page::parse("a.md", text).unwrap_err();
            assert!(refused.starts_with(error), "{refused}");
        }
    }
}
