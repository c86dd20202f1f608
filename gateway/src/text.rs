//! Text that people give and others read: names of players and matches, and reasons.

use crate::refusal::Refusal;

/// Refuses text that is too long, or that holds characters which nobody can see: with them one name can look like
/// another, or turn around what is written beside it.
pub fn check(field: &'static str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.chars().count() > most || text.chars().any(char::is_control) {
        return Err(Refusal::field(field, format!("at most {most} printable characters")));
    }
    match text.chars().find(|c| is_invisible(*c) || is_blank(*c)) {
        None if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") => {
            Err(Refusal::field(field, "single spaces between words, and none around them"))
        }
        None => Ok(()),
        Some(c) => {
            let code = u32::from(c);
            Err(Refusal::field(
                field,
                format!("U+{code:04X} is an invisible character, which is not allowed in text that others read"),
            ))
        }
    }
}

/// Whether a character has no shape of its own: those that set the direction of writing, those without width, fillers,
/// selectors of variants, tags, and the separators of lines and paragraphs. These are the code points that Unicode
/// calls default-ignorable, its bidirectional controls, and the line and paragraph separators.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Whether a character looks like a space and is none, or like nothing: whatever else Unicode calls white space, and the
/// pattern of Braille without dots.
const fn is_blank(c: char) -> bool {
    c != ' ' && c.is_whitespace() || c == '\u{2800}'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Reason;

    #[test]
    fn what_can_be_seen_is_allowed() {
        for text in ["", "Anna", "Ærøskøbing ⚓", "O'Neill-Łukasz", "海賊", "علي", "नेहा", "🏴 Jolly", "e\u{301}"]
        {
            assert_eq!(check("name", text, 20), Ok(()), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_refused_in_a_sentence() {
        let kinds = [
            "\u{202E}",
            "\u{2066}",
            "\u{200F}",
            "\u{061C}",
            "\u{200B}",
            "\u{200D}",
            "\u{2060}",
            "\u{FEFF}",
            "\u{00AD}",
            "\u{3164}",
            "\u{FE0F}",
            "\u{E0041}",
            "\u{2028}",
        ];
        for invisible in kinds {
            for text in [format!("An{invisible}na"), invisible.to_owned(), format!("Anna{invisible}")] {
                let refusal = check("name", &text, 20).expect_err("nobody sees it");
                assert_eq!((refusal.code, refusal.reason), (tonic::Code::InvalidArgument, Reason::FieldInvalid));
                assert!(refusal.message.contains("is an invisible character"), "{}", refusal.message);
                assert!(!refusal.message.contains(invisible), "it is named by its number");
            }
        }
    }

    #[test]
    fn spaces_that_only_look_like_one_are_refused() {
        let kinds = ['\u{00A0}', '\u{1680}', '\u{2000}', '\u{200A}', '\u{202F}', '\u{205F}', '\u{2800}', '\u{3000}'];
        for blank in kinds {
            for text in [format!("An{blank}na"), blank.to_string()] {
                let refusal = check("name", &text, 20).expect_err("nobody sees which it is");
                assert!(refusal.message.contains(&format!("U+{:04X}", u32::from(blank))), "{}", refusal.message);
            }
        }
        for text in [" ", " Anna", "Anna ", "An  na"] {
            let refusal = check("name", text, 20).expect_err("nobody sees the space");
            assert_eq!(refusal.message, "name: single spaces between words, and none around them");
        }
        assert_eq!(check("name", "Anna of the Sea", 20), Ok(()));
    }

    #[test]
    fn long_text_and_controls_are_refused() {
        assert!(check("name", &"x".repeat(20), 20).is_ok());
        for text in [&*"x".repeat(21), "a\nb", "\u{1b}[31m", "\u{9b}"] {
            let refusal = check("name", text, 20).expect_err("refused");
            assert_eq!(refusal.message, "name: at most 20 printable characters");
        }
    }
}
