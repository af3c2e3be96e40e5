use super::*;

const TEXT: &str = r#"
name = "ship"
version = 2
title = "Ship {{what}}"
description = "How {{ what }} is shipped"
[variables.what]
description = "what to ship"
[variables.where]
default = "home"
[[tasks]]
name = "build-{{what}}"
labels = ["{{where}}"]
plan = "a literal {{{{what}} and {{what}}"
[[tasks]]
name = "send"
depends_on = ["build-{{what}}"]
"#;

fn template(text: &str) -> Template {
    Template::read("ship", text).unwrap()
}

fn given(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn problems(text: &str) -> Vec<String> {
    let found = match Template::read("ship", text) {
        Ok(template) => template.problems(),
        Err(problems) => problems,
    };
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn values_go_into_every_text() {
    let plan = template(TEXT).fill(&given(&[("what", "x")])).unwrap();
    assert_eq!(plan.name.as_deref(), Some("Ship x"));
    assert_eq!(plan.description.as_deref(), Some("How x is shipped"));
    assert_eq!(plan.tasks[0].name, "build-x");
    assert_eq!(plan.tasks[0].labels, ["home"]);
    assert_eq!(plan.tasks[0].plan.as_deref(), Some("a literal {{what}} and x"));
    assert_eq!(plan.tasks[1].depends_on, ["build-x"]);
    assert_eq!(problems(TEXT), [""; 0]);
}

#[test]
fn a_value_stays_a_value() {
    let odd = "x\"\n[[tasks]]\nname = \"evil\"\n{{where}}";
    let plan = template(TEXT).fill(&given(&[("what", "y"), ("where", odd)]));
    let FillProblem::Plan(found) = plan.unwrap_err() else { panic!("a label is one line") };
    assert_eq!(found.len(), 1, "{found:?}");
    let text = TEXT.replace("plan = \"a literal {{{{what}} and {{what}}\"", "plan = \"{{where}}\"");
    let plan = template(&text.replace("labels = [\"{{where}}\"]", "")).fill(&given(&[("what", "y"), ("where", odd)]));
    let plan = plan.unwrap();
    assert_eq!((plan.tasks.len(), plan.tasks[0].plan.as_deref()), (2, Some(odd)));
}

#[test]
fn all_missing_and_unknown_variables_at_once() {
    let text = TEXT.replace("default = \"home\"", "required = true");
    let FillProblem::Variables { missing, unknown } = template(&text).fill(&given(&[("wat", "x")])).unwrap_err() else {
        panic!("variables are missing")
    };
    assert_eq!(missing.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["what", "where"]);
    assert_eq!(unknown, [("wat".to_owned(), Some("what".to_owned()))]);
}

#[test]
fn what_is_wrong_with_a_template() {
    let text = "name = \"other\"\nversion = [1]\n[variables.a]\ndefault = \"x\"\nrequired = true\n[variables.\"b c\"]\n[variables.d]\nreqired = true\n";
    assert_eq!(
        problems(text),
        [
            "line 1: name must be \"ship\", as the file is called",
            "line 2: version must be a text, not a list",
            "line 3: variables.a has a default and is required; one of the two",
            "line 6: \"b c\" is not a valid variable name: use letters, digits, - and _",
            "line 8: unknown key \"variables.d.reqired\"; did you mean \"required\"?",
        ]
    );
    let text = "[variables.what]\n[[tasks]]\nname = \"{{wat}}\"\nplan = \"{{ a b }} {{open\"\n";
    assert_eq!(
        problems(text),
        [
            "line 3: {{wat}} is not a variable of this template; did you mean \"what\"?",
            "line 4: \"{{ a b }}\" is not a variable; a literal {{ is written {{{{",
            "line 4: \"{{open\" is not a variable; a literal {{ is written {{{{",
        ]
    );
    let text = "[variables.p]\n[[tasks]]\nname = \"a\"\npriority = \"{{p}}\"\ndepends_on = [\"b\"]\n";
    assert_eq!(problems(text), ["line 3: task \"a\": depends_on names \"b\", which is not a task of this plan"]);
    let text = "[variables.p]\n[variables.q]\n[[tasks]]\nname = \"{{p}}\"\n";
    assert_eq!(template(text).unused(), ["q"]);
}

#[test]
fn a_saved_plan_comes_back() {
    let mut plan = template(TEXT).fill(&given(&[("what", "x")])).unwrap();
    plan.tasks[1].description = Some("{{{ odd }}} {{x}}\n\"\"\"'''\\".to_owned());
    let text = Template::text_of("again", &plan);
    let again = Template::read("again", &text).unwrap();
    assert_eq!(again.problems(), []);
    assert_eq!(again.fill(&[]).unwrap(), plan);
}

#[test]
fn names_stay_in_their_directory() {
    for good in ["feature", "a.b", "X-1_2"] {
        assert!(is_name(good), "{good}");
    }
    for bad in ["", ".", "..", "a/b", "../a", "a\\b", ".hidden", "-x", "a..b", "ä", "a b", "a\n", &"x".repeat(65)] {
        assert!(!is_name(bad), "{bad:?}");
    }
}

#[test]
fn a_text_that_would_be_too_large_is_not_built() {
    let bomb = format!(
        "name = \"b\"\n[variables.a]\ndefault = \"{}\"\n[[tasks]]\nname = \"t\"\ndescription = \"{}\"\n",
        "x".repeat(200_000),
        "{{a}}".repeat(8_000)
    );
    let template = Template::read("b", &bomb).unwrap();
    let is_large = |one: &Problem| matches!(one.wrong, Wrong::TooLarge { .. });
    assert!(template.problems().iter().any(is_large));
    assert!(matches!(template.fill(&[]), Err(FillProblem::Plan(problems)) if problems.iter().any(is_large)));
}
