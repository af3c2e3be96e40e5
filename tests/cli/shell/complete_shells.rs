//! Completion in real shells: what is inserted into a line is one word, whatever a stranger's ledger holds.

use std::path::Path;

use crate::support::harness::{BD, Env};
use crate::support::programs::have;

/// Labels that a shell would act on.
const ODD: [&str; 9] = [
    "a$(touch${IFS}pwned)",
    "b`touch pwned`",
    "c;touch pwned;",
    "d two words",
    "e'touch pwned'\"",
    "f&touch pwned|x>pwned",
    "k*?[a]{b,c}~!#\\",
    "h:~=x@y",
    "größe",
];

/// A project with such labels, such an assignee and such an id, and with labels that act on a terminal.
fn hostile() -> Env {
    let env = Env::new();
    let mut labels: Vec<&str> = ODD.to_vec();
    labels.extend(["x\u{1b}[31mred", "y\nline", "z\u{202e}turned", "-l", ""]);
    let line = serde_json::json!({
        "id": "ev-$(touch pwned)", "title": "Say $(touch pwned) `twice`\u{1b}[2J\nand again", "labels": labels,
        "assignee": "zed;touch pwned", "created_at": "2026-01-01T00:00:00Z",
    });
    let plain = serde_json::json!({"id": "bd-a3f", "title": "Fix", "created_at": "2026-01-01T00:00:00Z"});
    env.put_ledger(format!("{line}\n{plain}\n"));
    std::fs::create_dir(env.path("dir;touch pwned")).unwrap();
    env
}

/// The path of the script of a shell.
fn script(env: &Env, shell: &str) -> String {
    let text = env.bd(["completions", shell]).ok().stdout;
    let path = env.root().join(format!("script.{shell}"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Runs a shell with `bd` in its path.
fn shell(env: &Env, program: &[&str], stdin: Option<&str>) -> String {
    let mut command = env.bd_command(program[0]);
    let bin = Path::new(BD).parent().unwrap().to_str().unwrap().to_owned();
    command.env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap())).env("TERM", "dumb");
    command.args(&program[1..]).env("LC_ALL", "C.UTF-8");
    env.run(command, program.join(" "), stdin).stdout
}

/// The arguments of a command typed in bash, ending with the completion key. A line in brackets.
fn typed_in_bash(env: &Env, typed: &str) -> String {
    let script = script(env, "bash");
    let keys = format!(
        "source {script}; say() {{ printf '[%s]' \"$@\"; echo; }}; complete -o nosort -F _bd_complete say\nsay {typed}\t\n"
    );
    let said = shell(env, &["bash", "--noprofile", "--norc", "-i"], Some(&keys));
    said.lines().rfind(|line| line.starts_with('[')).unwrap_or_default().to_owned()
}

#[test]
fn bash_inserts_one_word_and_runs_nothing() {
    if !have(&["bash"]) {
        return;
    }
    let env = hostile();
    for label in ODD {
        let start: String = label.chars().take(1).collect();
        assert_eq!(typed_in_bash(&env, &format!("list -l {start}")), format!("[list][-l][{label}]"));
    }
    assert_eq!(typed_in_bash(&env, "list --label=a"), format!("[list][--label={}]", ODD[0]));
    assert_eq!(typed_in_bash(&env, "list -l h:~="), format!("[list][-l][{}]", ODD[7]));
    assert_eq!(typed_in_bash(&env, r"list -l d\ two"), "[list][-l][d two words]");
    assert_eq!(typed_in_bash(&env, "list -l 'd two"), "[list][-l][d two words]");
    assert_eq!(typed_in_bash(&env, "list -a z"), "[list][-a][zed;touch pwned]");
    assert_eq!(typed_in_bash(&env, "show ev"), "[show][ev-$(touch pwned)]");
    assert_eq!(typed_in_bash(&env, "show a3"), "[show][bd-a3f]", "an id without its prefix");
    assert_eq!(typed_in_bash(&env, "-C dir"), "[-C][dir;touch pwned/]");
    for start in ["x", "y", "z"] {
        assert_eq!(typed_in_bash(&env, &format!("list -l {start}")), format!("[list][-l][{start}]"), "not offered");
    }
    // Inside of a quote, what would end it or act in it is not offered.
    assert_eq!(typed_in_bash(&env, "list -l \"a"), "");
    let keys = format!("source {}\nbd list -l a\t\nbd list -a z\t\nbd show ev\t\n", script(&env, "bash"));
    shell(&env, &["bash", "--noprofile", "--norc", "-i"], Some(&keys));
    assert!(!env.path("pwned").exists());
}

/// Scripts that were installed before still ask as they did.
#[test]
fn an_older_script_of_bash_gets_quoted_words_too() {
    let env = hostile();
    let vars = [("BD_COMPLETE", "bash"), ("_CLAP_IFS", "\u{b}"), ("_CLAP_COMPLETE_INDEX", "3")];
    let said = |word: &str| env.bd_with(["--", "bd", "list", "-l", word], None, &vars).ok().stdout;
    assert_eq!(said("a"), r"a\$\(touch\$\{IFS\}pwned\)");
    assert_eq!(said("c"), r"c\;touch\ pwned\;");
    assert_eq!(said("x"), "");
}

#[test]
fn no_shell_is_told_what_acts_on_a_terminal() {
    let env = hostile();
    for name in ["bash", "zsh", "fish", "elvish", "powershell"] {
        for typed in [&["list", "-l", ""][..], &["show", "ev"], &["list", "-a", ""]] {
            let at = typed.len().to_string();
            let vars = [("BD_COMPLETE", name), ("_CLAP_COMPLETE_INDEX", &at)];
            let said = env.bd_with(["--", "bd"].iter().chain(typed), None, &vars).ok().stdout;
            assert!(!said.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{name}: {said:?}");
            assert!(!said.contains('\u{202e}') && !said.lines().any(|line| line == "line" || line == "and again"));
            assert!(name != "powershell" || !said.contains("$(touch$"), "it inserts words as they are: {said}");
        }
        let vars = [("BD_COMPLETE", name), ("_CLAP_COMPLETE_INDEX", "3")];
        let said = env.bd_with(["--", "bd", "list", "-l", "gr"], None, &vars).ok().stdout;
        assert!(said.starts_with("größe"), "{name}: {said}");
    }
}

#[test]
fn zsh_inserts_one_word_and_runs_nothing() {
    if !have(&["zsh"]) {
        return;
    }
    let env = hostile();
    let script = script(&env, "zsh");
    let say = "say() { print -r -- \"GOT[${(j:][:)@}]END\" }";
    let mut text = format!(
        "zmodload zsh/zpty; zpty t env TERM=dumb zsh -f -i
         zpty -w t 'PS1=; autoload -U compinit; compinit -u -D; source {script}; compdef _clap_dynamic_completer_bd bd say'
         zpty -w t '{say}'
         zpty -w t 'echo READY$((1+1))'; zpty -r -m t out '*READY2*'\n"
    );
    let lines = ["list -l a", "list -l b", "list -l c", "list -l d", "list -l k", "list -a z", "show ev", "show a3"];
    for line in lines {
        text.push_str(&format!("zpty -w -n t $'say {line}\\t\\n'; zpty -r -m t out '*GOT*END*'; print -r -- $out\n"));
    }
    text.push_str("zpty -d t\n");
    let said = shell(&env, &["zsh", "-f", "-c", &text], None);
    for label in [ODD[0], ODD[1], ODD[2], ODD[3], ODD[6]] {
        assert!(said.contains(&format!("GOT[list][-l][{label}]END")), "{label}: {said}");
    }
    assert!(said.contains("GOT[list][-a][zed;touch pwned]END"), "{said}");
    assert!(said.contains("GOT[show][ev-$(touch pwned)]END"), "{said}");
    assert!(said.contains("GOT[show][bd-a3f]END"), "an id without its prefix: {said}");
    assert!(!env.path("pwned").exists());
}

#[test]
fn fish_shows_titles_and_quotes_words() {
    if !have(&["fish"]) {
        return;
    }
    let env = hostile();
    let script = script(&env, "fish");
    let ask = |line: &str| {
        let text = format!("source {script}; complete -C {line:?} --escape");
        shell(&env, &["fish", "--no-config", "-c", &text], None)
    };
    assert!(ask("bd show bd-").contains("bd-a3f\tFix"), "{}", ask("bd show bd-"));
    for label in ODD {
        let start: String = label.chars().take(1).collect();
        let offered = ask(&format!("bd list -l {start}"));
        let word = offered.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
        let word = word.split('\t').next().unwrap();
        let read = shell(&env, &["fish", "--no-config", "-c", &format!("printf '[%s]' {word}")], None);
        assert_eq!(read, format!("[{label}]"), "{word}");
    }
    assert!(!env.path("pwned").exists());
}
