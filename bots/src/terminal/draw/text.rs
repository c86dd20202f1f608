//! Texts cut and broken to fit into lines.

/// Breaks a text into lines of at most this many characters, at spaces where it can; all but the first are indented.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let width = width.max(indent + 1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let used = line.chars().count();
        let blank = line.trim().is_empty();
        if used + usize::from(!blank) + word.len() > width && !blank {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        } else if !blank {
            line.push(' ');
        }
        while line.chars().count() + word.len() > width {
            let rest = word.split_off(width - line.chars().count());
            line.extend(word);
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            word = rest;
        }
        line.extend(word);
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A text cut to at most this many characters; one that was longer ends with a sign for that.
pub fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(2)).collect();
    format!("{kept}..").chars().take(width).collect()
}

/// Seconds as a clock shows them.
pub fn clock(seconds: u64) -> String {
    match seconds {
        0..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_nothing_is_lost() {
        assert_eq!(wrap("one two three", 7, 2), ["one two", "  three"]);
        assert_eq!(wrap("", 7, 2), [""]);
        assert_eq!(wrap("abcdefghij", 4, 1), ["abcd", " efg", " hij"]);
        let text = "Ann's ship 3 rolls 6 5 1 against Bea's ship 7 with 4 2; they lose 0 and 4 hp.";
        for width in 8..90 {
            let lines = wrap(text, width, 2);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
            let again: String = lines.concat().split_whitespace().collect();
            assert_eq!(again, text.split_whitespace().collect::<String>(), "{width}");
        }
    }

    #[test]
    fn what_is_too_long_says_so() {
        assert_eq!(clip("Leviathan", 9), "Leviathan");
        assert_eq!(clip("Leviathans", 9), "Leviath..");
        assert_eq!((clock(9), clock(61), clock(3661)), ("0:09".to_owned(), "1:01".to_owned(), "1:01:01".to_owned()));
    }
}
