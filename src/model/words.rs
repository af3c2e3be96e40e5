//! Enums that are written as words.

/// Declares an enum whose variants each have one word: in files, in JSON and on the command line.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis enum $name { $($(#[$about])* #[serde(rename = $word)] $variant),* }

        #[allow(dead_code, unreachable_pub, reason = "not every enum is listed, read and public")]
        impl $name {
            /// All of them, in the order in which they are declared.
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$variant),*];

            /// The words of all of them.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.word() == word)
            }
        }
    };
}

pub(crate) use words;
