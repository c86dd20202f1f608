//! Words that the sentences of every game are made of: lists, names of players, and texts of others made harmless.

use std::collections::BTreeMap;

/// What the players are called, by seat.
pub type Names = BTreeMap<u32, String>;

/// A list with commas, and an `and` before the last item.
pub fn list(items: &[String]) -> String {
    match items {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A text of somebody else with everything written out that would break or colour a line.
pub fn visible(text: &str) -> String {
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(visible).collect()
}

/// What everybody is called, from what they call themselves: somebody without a name has a number, and those of one
/// name are told apart by their seats. So is somebody who is called "you", which is what the viewer is called.
pub fn names<'a>(seats: impl IntoIterator<Item = (u32, &'a str)>) -> Names {
    let plain = |(seat, name): (u32, &str)| {
        let name = visible(name.trim());
        (seat, if name.is_empty() { format!("Seat {seat}") } else { name })
    };
    let names: Names = seats.into_iter().map(plain).collect();
    let shared =
        |name: &String| name.eq_ignore_ascii_case("you") || names.values().filter(|other| *other == name).count() > 1;
    let apart = |(&seat, name): (&u32, &String)| {
        (seat, if shared(name) { format!("{name} (seat {seat})") } else { name.clone() })
    };
    names.iter().map(apart).collect()
}
