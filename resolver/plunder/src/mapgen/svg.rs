//! A map as a picture: one self-contained SVG, drawn like a sea chart.
//!
//! Hexes have their point at the top. With 26 units from the middle to a side and 30 to a point all corners are
//! whole numbers and the hexes fit together without gaps. Tiles of one kind are drawn as one outline per run in a
//! row, so that a picture has far fewer shapes than its map has tiles.

use std::fmt::Write;

use parley_core::grid::Tile;

use crate::map::Map;
use crate::rules::{Domain, Rules};

/// The distance from the middle of a hex to its east side.
const HALF: u32 = 26;
/// The distance from the middle of a hex to its north point.
const POINT: u32 = 30;
/// The distance from the middle of one row to the middle of the next.
const ROW: u32 = 45;
/// The width of the empty border around the map.
const MARGIN: u32 = 36;

/// The colours of the seats, in order; more seats begin again.
const SEATS: [&str; 16] = [
    "#c8453b", "#2f66b0", "#d99a1c", "#6b4a9c", "#2c8c6b", "#b8498d", "#5d6b2f", "#1f8fb3", "#8c4a2c", "#4a4f5c",
    "#d96f3a", "#3f3f8f", "#8fa01f", "#9c2f4f", "#2f7a3a", "#7a6bc8",
];

const STYLE: &str = "\
    .paper{fill:#f3ecdc}.deep{fill:#8fb8cf}.shallow{fill:#b3d3de}\
    .surf{fill:none;stroke:#d3e8e8;stroke-width:20;stroke-linejoin:round}\
    .beach{fill:none;stroke:#e6d3a3;stroke-width:9;stroke-linejoin:round}\
    .ground{fill:#a9bd84;stroke:#a9bd84;stroke-width:1}\
    .hills{fill:#93ab70;stroke:#93ab70;stroke-width:1}\
    .grid{fill:url(#grid)}.frame{fill:none;stroke:#7d98a6;stroke-width:2}\
    .quay{fill:#f6efdd;stroke:#5d7482;stroke-width:2}\
    .anchor{fill:none;stroke:#34505f;stroke-width:3;stroke-linecap:round}\
    .seat{stroke:#fffaf0;stroke-width:3}\
    text{font:700 22px sans-serif;fill:#fffaf0;text-anchor:middle}";

/// What a tile is drawn as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Deep,
    Shallow,
    Land,
}

/// Draws a map, its harbors, and the number of each start's seat.
pub fn svg(rules: &Rules, map: &Map, starts: &[Tile]) -> String {
    let grid = map.grid();
    let look = |tile: Tile| {
        let deep = || rules.terrains().get(map.terrain(tile)).is_some_and(|terrain| terrain.key == "deep");
        match map.navigable(tile, Domain::Naval) {
            false => Look::Land,
            true if deep() => Look::Deep,
            true => Look::Shallow,
        }
    };
    let inland = |tile: Tile| look(tile) == Look::Land && grid.neighbors(tile).all(|(_, n)| look(n) == Look::Land);
    let width = grid.width() * 2 * HALF + HALF + 2 * MARGIN;
    let height = grid.height() * ROW + POINT / 2 + 2 * MARGIN;

    let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\n");
    push(&mut out, format_args!("<title>{} x {} tiles</title><style>{STYLE}</style>\n", grid.width(), grid.height()));
    out.push_str("<defs>\n");
    outline(&mut out, map, "chart", |_| true);
    outline(&mut out, map, "coast", |tile| look(tile) != Look::Deep);
    outline(&mut out, map, "land", |tile| look(tile) == Look::Land);
    outline(&mut out, map, "heights", inland);
    out.push_str("<clipPath id=\"edge\"><use href=\"#chart\"/></clipPath>\n");
    mesh(&mut out);
    out.push_str(
        "<g id=\"harbor\"><circle class=\"quay\" r=\"21\"/><path class=\"anchor\" \
         d=\"M0-7V13M-6-3H6M-11 5Q-10 13 0 13Q10 13 11 5\"/><circle class=\"anchor\" cy=\"-11\" r=\"4\"/></g>\n</defs>\n",
    );
    push(&mut out, format_args!("<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n"));
    out.push_str("<g clip-path=\"url(#edge)\">\n");
    let layers = [
        ("chart", "deep"),
        ("coast", "shallow"),
        ("land", "surf"),
        ("land", "beach"),
        ("land", "ground"),
        ("heights", "hills"),
        ("chart", "grid"),
    ];
    for (shape, class) in layers {
        push(&mut out, format_args!("<use href=\"#{shape}\" class=\"{class}\"/>\n"));
    }
    out.push_str("</g>\n");
    for tile in grid.tiles().filter(|&tile| map.is_harbor(tile) && !starts.contains(&tile)) {
        let (x, y) = middle(map, tile);
        push(&mut out, format_args!("<use href=\"#harbor\" x=\"{x}\" y=\"{y}\"/>\n"));
    }
    for (seat, &tile) in starts.iter().enumerate() {
        let ((x, y), color) = (middle(map, tile), SEATS[seat % SEATS.len()]);
        push(&mut out, format_args!("<circle class=\"seat\" fill=\"{color}\" cx=\"{x}\" cy=\"{y}\" r=\"22\"/>"));
        push(&mut out, format_args!("<text x=\"{x}\" y=\"{}\">{seat}</text>\n", y + 8));
    }
    out.push_str("</svg>\n");
    out
}

/// Appends formatted text, which cannot fail for a string.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "a string takes everything");
}

/// The middle of a tile in the picture, from the left and from the top.
fn middle(map: &Map, tile: Tile) -> (u32, u32) {
    let (column, row) = map.grid().offset(tile);
    (MARGIN + HALF + 2 * HALF * column + HALF * (row & 1), MARGIN + POINT + ROW * row)
}

/// A shape of all tiles of a kind, as one outline per run in a row.
fn outline(out: &mut String, map: &Map, id: &str, of_kind: impl Fn(Tile) -> bool) {
    push(out, format_args!("<path id=\"{id}\" d=\""));
    let width = map.grid().width() as usize;
    let tiles: Vec<Tile> = map.grid().tiles().collect();
    for row in tiles.chunks(width) {
        for run in row.chunk_by(|&a, &b| of_kind(a) == of_kind(b)) {
            if !of_kind(run[0]) {
                continue;
            }
            let (x, y) = middle(map, run[0]);
            push(out, format_args!("M{} {}", x - HALF, y - POINT / 2));
            run.iter().for_each(|_| out.push_str("l26-15 26 15"));
            out.push_str("v30");
            run.iter().for_each(|_| out.push_str("l-26 15-26-15"));
            out.push('z');
        }
    }
    out.push_str("\"/>\n");
}

/// The lines between hexes, as a pattern of two rows that repeats over the whole map.
fn mesh(out: &mut String) {
    let (width, height) = (2 * HALF, 2 * ROW);
    push(
        out,
        format_args!(
            "<pattern id=\"grid\" patternUnits=\"userSpaceOnUse\" x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{width}\" \
             height=\"{height}\"><path d=\"M0 15L26 0L52 15V45L26 60L0 45ZM26 60V90\" fill=\"none\" stroke=\"#1d4457\" \
             stroke-opacity=\".13\"/></pattern>\n"
        ),
    );
}
