//! Environment variables, the working directory, and the kinds of the standard streams.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::resident::Residents;

/// A snapshot of the environment, taken once.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// Shared between clones, of which a command makes several.
    vars: Arc<BTreeMap<OsString, OsString>>,
    cwd: PathBuf,
    residents: Residents,
    agreement: Option<Agreement>,
}

/// Whether the user has agreed to everything that the repository with this root asks for.
pub type Agreement = fn(&Env, root: &Path, asks: &[String]) -> bool;

/// Whether a variable of this process is set and not empty, without taking a snapshot.
pub fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

impl Env {
    pub fn process() -> Self {
        let cwd = std::env::current_dir().unwrap_or_default();
        Env { vars: Arc::new(std::env::vars_os().collect()), cwd, residents: Residents::default(), agreement: None }
    }

    /// The same environment seen from another directory.
    pub fn at(mut self, directory: PathBuf) -> Self {
        self.cwd = directory;
        self
    }

    /// The value of a variable; an empty one counts as unset.
    pub fn var(&self, name: &str) -> Option<String> {
        let value = self.vars.get(OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// The variables with this prefix that are not empty.
    pub fn beginning(&self, start: &str) -> impl Iterator<Item = (&str, &str)> {
        let from = self.vars.range::<OsStr, _>((Bound::Included(OsStr::new(start)), Bound::Unbounded));
        let texts = from.map_while(move |(name, value)| {
            let name = name.as_encoded_bytes().starts_with(start.as_bytes()).then_some(name)?;
            Some(name.to_str().zip(value.to_str()))
        });
        texts.flatten().filter(|(_, value)| !value.is_empty())
    }

    /// The raw value of a variable, which may not be UTF-8.
    pub fn var_os(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The value of a variable, even if it is empty.
    pub fn raw_var(&self, name: &str) -> Option<&str> {
        self.vars.get(OsStr::new(name))?.to_str()
    }

    /// Whether the locale allows characters beyond ASCII, by the first of the variables that decide.
    pub fn is_utf8(&self) -> bool {
        let named = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.var(name));
        named.is_some_and(|name| {
            let name = name.to_lowercase();
            name.contains("utf-8") || name.contains("utf8")
        })
    }

    /// The same environment with one variable set.
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.vars).insert(name.into(), value.into());
        self.residents = Residents::default();
        self
    }

    /// The same environment with the user's agreements. Without them nothing counts as agreed.
    pub fn agreeing(mut self, agreement: Agreement) -> Self {
        self.agreement = Some(agreement);
        self
    }

    pub fn agrees(&self, root: &Path, asks: &[String]) -> bool {
        self.agreement.is_some_and(|agreement| agreement(self, root, asks))
    }

    /// Programs that were started in this environment and wait for requests.
    pub fn residents(&self) -> &Residents {
        &self.residents
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.var("HOME").map(PathBuf::from)
    }

    /// The directory of the user's settings.
    pub fn config_home(&self) -> Option<PathBuf> {
        let named = self.var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| self.home().map(|home| home.join(".config")))
    }

    /// Resolves a path as people write it: `~/` is the home directory, relative paths start at the working directory.
    pub fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), self.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if text == "~" => self.home().unwrap_or_else(|| self.cwd.clone()),
            _ => self.cwd.join(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_by_how_they_begin() {
        let named = [("BD", "0"), ("BD_", "1"), ("BD_A", "2"), ("BD_B", ""), ("BE", "4"), ("bd_C", "5")];
        let env = named.into_iter().fold(Env::default(), |env, (name, value)| env.with(name, value));
        assert_eq!(env.beginning("BD_").collect::<Vec<_>>(), [("BD_", "1"), ("BD_A", "2")]);
    }
}
