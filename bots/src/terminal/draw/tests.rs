use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::super::sketch::{Sketch, press};
use super::look::letter;
use super::map::Window;
use super::*;
use crate::terminal::board::{Board, Ground};

const UNICODE: Look = Look { unicode: true };
const ASCII: Look = Look { unicode: false };
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

fn drawn(model: &Model, look: Look, (width, height): (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
    terminal.draw(|frame| draw(model, look, frame)).expect("drawn");
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let signs: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
    signs.chunks(width).map(|row| row.concat()).collect::<Vec<_>>().join("\n")
}

/// Where the map is on a screen of this size while orders are planned.
fn sea((width, height): (u16, u16)) -> Rect {
    let side = if width >= 110 { 36 } else { 27 };
    let log = if height >= 34 { height / 3 } else { 6 };
    Rect { x: 0, y: 1, width: width - side, height: height - log - 3 }
}

/// The four characters of a tile.
fn at(buffer: &Buffer, board: &Board, window: &Window, column: u32, row: u32) -> (String, Color) {
    let tile = board.tile_in(column, row).expect("on the map");
    let (x, y) = window.place(board, tile).expect("on the screen");
    let text = (x..x + 4).map(|x| buffer[(x, y)].symbol()).collect();
    (text, buffer[(x, y)].bg)
}

#[test]
fn ships_and_shipyards_stand_on_their_tiles() {
    for size in SIZES {
        let mut sketch = Sketch::duel("off");
        let model = sketch.model(Some(0));
        let buffer = drawn(&model, UNICODE, size);
        let board = model.board().expect("a board");
        let window = Window::new(board, model.cursor(), sea(size));
        let tall = window.is_tall();
        let own = at(&buffer, board, &window, 0, 0).0;
        let (theirs, color) = at(&buffer, board, &window, 6, 0);
        assert!(own.contains("A⌂"), "{own}");
        assert_eq!(theirs, if tall { " B⌂ " } else { "B⌂10" });
        assert_eq!(color, look::owner(Some(1)));
        assert_eq!(at(&buffer, board, &window, 3, 1).0, " ▲▲ ");
        assert_eq!(at(&buffer, board, &window, 2, 2).0.trim(), "·");
        let shown = text(&buffer);
        for words in ["turn 1", "planning", "connected", "A Ann", "B Bea", "100g 1s", "orders 0, cost 0 of 117", "Tab"]
        {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
    }
}

#[test]
fn odd_rows_lie_half_a_tile_further_east() {
    let mut sketch = Sketch::duel("off");
    let model = sketch.model(Some(0));
    let board = model.board().expect("a board");
    let window = Window::new(board, None, sea((80, 24)));
    let place = |column, row| window.place(board, board.tile_in(column, row).expect("a tile")).expect("shown");
    let lines = if window.is_tall() { 2 } else { 1 };
    assert_eq!(place(0, 1).0, place(0, 0).0 + 2);
    assert_eq!(place(0, 2).0, place(0, 0).0);
    assert_eq!((place(1, 0).0, place(0, 1).1), (place(0, 0).0 + 4, place(0, 0).1 + lines));
}

#[test]
fn without_unicode_only_ascii_is_drawn() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab Right Right Enter Tab Right Right Right Right Right");
    sketch.bea_sails(&[(5, 0), (4, 0), (3, 0)], plunder::Engagement::Fight);
    for keys in ["Esc", "?", "Esc", "Tab Right Right Right Right Enter L"] {
        press(&mut sketch, &mut model, keys);
        assert_eq!(ascii_only(&model), Vec::<String>::new());
    }
    let prompt = sketch.play(Some(0));
    model.on_item(prompt);
    assert_eq!(ascii_only(&model), Vec::<String>::new());
    assert!(text(&drawn(&model, ASCII, (80, 24))).contains("ENTRY ENCOUNTER - choose: YIELD or ATTACK"));
}

/// The signs beyond ASCII, apart from the lines of frames, which every terminal draws.
fn ascii_only(model: &Model) -> Vec<String> {
    let frame = "─│┌┐└┘";
    let buffer = drawn(model, ASCII, (80, 24));
    let signs = buffer.content().iter().map(|cell| cell.symbol());
    signs.filter(|sign| !sign.is_ascii() && !frame.contains(sign)).map(str::to_owned).collect()
}

#[test]
fn planned_paths_are_drawn_with_where_they_lead() {
    let size = (120, 40);
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    press(&mut sketch, &mut model, "Tab Right Right Right Right Right Enter");
    let board = model.board().expect("a board");
    let window = Window::new(board, model.cursor(), sea(size));
    let buffer = drawn(&model, UNICODE, size);
    assert_eq!(at(&buffer, board, &window, 1, 0).0.trim(), "→");
    assert!(at(&buffer, board, &window, 5, 0).0.contains('◎'));
    assert!(text(&buffer).contains("Ship 1 sails to (5, 0): 5 tiles, 2 turns."));
}

#[test]
fn what_is_picked_is_described() {
    for size in SIZES {
        let mut sketch = Sketch::duel("off");
        let mut model = sketch.model(Some(0));
        press(&mut sketch, &mut model, "Tab .");
        let shown = text(&drawn(&model, UNICODE, size));
        let keys = shown.lines().last().expect("a line").trim_end();
        assert!(keys.ends_with("? all"), "all of the keys fit: {keys}");
        for words in ["Ship 1, ship, (0, 0)", "10/10 hp", "speed 3", "encounters: ask me", "> holds"] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        press(&mut sketch, &mut model, "Tab n");
        let shown = text(&drawn(&model, UNICODE, size));
        for words in ["Your shipyard 1", "20 hp", "> builds a ship", "n build"] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
    }
}

#[test]
fn prompts_say_their_words_both_sides_and_what_follows() {
    for size in SIZES {
        let mut sketch = Sketch::duel("off");
        let mut model = sketch.model(Some(0));
        sketch.bea_sails(&[(5, 0), (4, 0), (3, 0)], plunder::Engagement::Fight);
        press(&mut sketch, &mut model, "Tab Right Right Right Right Enter L");
        let prompt = sketch.play(Some(0));
        model.on_item(prompt);
        model.on_time(18_000);
        let buffer = drawn(&model, UNICODE, size);
        let shown = text(&buffer);
        for words in [
            "ENTRY ENCOUNTER — choose: YIELD or ATTACK",
            "0:42 left",
            "yours:  ship 1 with 10/10 hp",
            "Bea's ship 2 with 10/10 hp",
            "y YIELD",
            "a ATTACK",
            "they attack: (3, 0) is contested; you sink 0.0%",
            "encounter in tick 3",
        ] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        press(&mut sketch, &mut model, "a");
        let outcome = sketch.play(Some(0));
        model.on_item(outcome);
        sketch.serve(&mut model);
        let board = model.board().expect("a board");
        let window = Window::new(board, model.cursor(), sea(size));
        press(&mut sketch, &mut model, "Left");
        let buffer = drawn(&model, UNICODE, size);
        let (sign, color) = at(&buffer, board_of(&model), &window, 3, 0);
        assert_eq!((sign.trim(), color), ("✖1", Color::Red));
    }
}

fn board_of(model: &Model) -> &Board {
    model.board().expect("a board")
}

#[test]
fn fog_parts_the_unknown_the_remembered_and_the_seen() {
    let mut sketch = Sketch::new(&["H.........H"], &[(0, 0), (10, 0)], "on", 1);
    let mut model = sketch.model(Some(0));
    let ground = |model: &Model, column| {
        let board = board_of(model);
        let tile = board.tile_in(column, 0).expect("a tile");
        (board.ground(tile), board.is_seen(tile))
    };
    assert_eq!(ground(&model, 3), (Ground::Sea, true));
    assert_eq!(ground(&model, 6), (Ground::Unknown, false));
    assert!(board_of(&model).ship(2).is_none());
    press(&mut sketch, &mut model, "Tab Right Right Right Enter L");
    let outcome = sketch.play(Some(0));
    model.on_item(outcome);
    assert_eq!(ground(&model, 6), (Ground::Sea, true));
    let size = (120, 40);
    let buffer = drawn(&model, UNICODE, size);
    let window = Window::new(board_of(&model), model.cursor(), sea(size));
    let color = |column| at(&buffer, board_of(&model), &window, column, 0).1;
    assert_ne!(color(5), color(8), "what is seen is not what is unknown");
    let shown = text(&buffer);
    assert!(shown.contains("?g 0s"), "the gold of others is hidden\n{shown}");
}

#[test]
fn questions_and_the_end_are_boxes() {
    for size in SIZES {
        let mut sketch = Sketch::duel("off");
        let mut model = sketch.model(Some(0));
        for (keys, words) in [
            ("?", "encounters        p PROCEED   y YIELD    a ATTACK"),
            ("Esc L", "1 ship has nothing to do."),
            ("n C", "Give up this match"),
            ("n q", "Your seat is kept."),
            ("n Tab . q", "Your seat and orders are kept."),
        ] {
            press(&mut sketch, &mut model, keys);
            let shown = text(&drawn(&model, UNICODE, size));
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        sketch.theirs.concede = true;
        press(&mut sketch, &mut model, "n L");
        let outcome = sketch.play(Some(0));
        model.on_item(outcome);
        let Stage::Over(end) = model.stage().clone() else { panic!("not over") };
        let shown = text(&drawn(&model, UNICODE, size));
        for words in [
            "You win the match.",
            &end.digest,
            "parley replay export 01890000",
            "--server ",
            "parley verify",
            "q leave",
        ] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
    }
}

#[test]
fn a_lost_connection_is_seen() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    model.on_link(Link::Down { why: "broken pipe".to_owned() });
    let shown = text(&drawn(&model, UNICODE, (80, 24)));
    assert!(shown.contains("reconnecting") && shown.contains("The connection is lost: broken pipe."), "{shown}");
}

#[test]
fn whoever_waits_sees_who_is_there() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let lobby = v1::GetViewResponse { phase: v1::Phase::Lobby.into(), ..v1::GetViewResponse::default() };
    let mut fresh = Model::new(crate::terminal::model::Setting {
        match_id: model.match_id().to_owned(),
        address: String::new(),
        rules: std::sync::Arc::new(board_of(&model).rules().clone()),
        seats: vec!["Ann".to_owned(), String::new()],
        seat: Some(0),
        pace_ms: 0,
    });
    fresh.on_item(crate::session::Item::Snapshot(Box::new(lobby)));
    let shown = text(&drawn(&fresh, UNICODE, (80, 24)));
    for words in ["waiting for players", "seat 0: Ann (you)", "seat 1: open", model.match_id()] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    model.on_key(crate::terminal::sketch::key("^c"));
}

#[test]
fn every_size_is_drawn_and_a_tiny_one_says_so() {
    let mut sketch = Sketch::duel("off");
    let mut model = sketch.model(Some(0));
    let shown = text(&drawn(&model, UNICODE, (50, 10)));
    assert!(shown.starts_with("Too small: 64x20 is needed, this is 50x10."), "{shown}");
    for keys in ["", "Tab", "?"] {
        press(&mut sketch, &mut model, keys);
        for width in [1, 2, 63, 64, 65, 90, 200] {
            for height in [1, 2, 19, 20, 21, 50] {
                drawn(&model, UNICODE, (width, height));
            }
        }
    }
}

#[test]
fn a_map_larger_than_the_screen_follows_the_cursor() {
    let row = format!("H{}H", ".".repeat(60));
    let rows: Vec<&str> = std::iter::repeat_n(row.as_str(), 40).collect();
    let mut sketch = Sketch::new(&rows, &[(0, 0), (61, 0)], "off", 1);
    let mut model = sketch.model(Some(0));
    for _ in 0..61 {
        press(&mut sketch, &mut model, "Right");
    }
    let board = board_of(&model);
    let window = Window::new(board, model.cursor(), sea((80, 24)));
    assert_eq!(at(&drawn(&model, UNICODE, (80, 24)), board, &window, 61, 0).0, "B⌂10");
    for _ in 0..39 {
        press(&mut sketch, &mut model, "Down");
    }
    let buffer = drawn(&model, UNICODE, (80, 24));
    assert!(buffer.content().iter().any(|cell| cell.bg == Color::White), "the cursor is in sight");
}

#[test]
fn letters_are_of_seats() {
    assert_eq!([0, 25, 26, 51, 52].map(letter), ['A', 'Z', 'a', 'z', '?']);
}

#[test]
fn the_locale_says_which_signs_there_are() {
    let of = |key: &'static str, value: &'static str| {
        Look::of_locale(move |asked| (asked == key).then(|| value.to_owned())).unicode
    };
    assert!(of("LANG", "en_GB.UTF-8") && of("LC_ALL", "C.utf8") && !of("LANG", "C") && !of("PATH", "UTF-8"));
}
