//! Measuring a map without knowing how it was made: seas, harbors and distances.

use parley_core::grid::{Grid, Tile};

use crate::map::Map;
use crate::rules::Domain;

/// The distance that is given for a tile that cannot be reached.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Sailing distances of each start, in seat order; `None` where there is no way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fairness {
    /// Steps from each start to the nearest start of a rival.
    pub rival: Vec<Option<u32>>,
    /// Steps from each start to the nearest harbor that is nobody's start.
    pub harbor: Vec<Option<u32>>,
}

impl Fairness {
    /// Whether everybody has a way, and the longest of each kind is at most 20% longer than the shortest.
    pub fn is_fair(&self) -> bool {
        [&self.rival, &self.harbor].into_iter().all(|distances| {
            let shortest = distances.iter().min().copied().flatten();
            let longest = distances.iter().max().copied().flatten();
            matches!((shortest, longest), (Some(shortest), Some(longest)) if alike(shortest, longest))
        })
    }
}

/// Whether two distances differ by at most 20% of the shorter one.
pub(super) fn alike(shortest: u32, longest: u32) -> bool {
    5 * u64::from(longest) <= 6 * u64::from(shortest)
}

/// Measures how far each start is from its nearest rival and from its nearest free harbor.
pub fn fairness(map: &Map, starts: &[Tile]) -> Fairness {
    let mut flood = Flood::new(map.grid());
    let measure = |&start: &Tile| {
        let (mut rival, mut harbor) = (None, None);
        flood.run(
            start,
            |tile| map.navigable(tile, Domain::Naval),
            |tile, steps| {
                if tile != start && starts.contains(&tile) {
                    rival = rival.or(Some(steps));
                } else if tile != start && map.is_harbor(tile) {
                    harbor = harbor.or(Some(steps));
                }
                rival.is_none() || harbor.is_none()
            },
        );
        (rival, harbor)
    };
    let (rival, harbor) = starts.iter().map(measure).unzip();
    Fairness { rival, harbor }
}

/// The open sea: the largest connected stretch of navigable tiles that are no harbors, one mark per tile.
///
/// Harbors are left out because a structure closes them (R3.3); the open sea stays open whoever builds where.
pub fn open_sea(map: &Map) -> Vec<bool> {
    let open = |tile| map.navigable(tile, Domain::Naval) && !map.is_harbor(tile);
    largest_stretch(map.grid(), open)
}

/// The navigable tiles that the open sea does not reach: water cut off from it, and harbors that do not touch it.
pub fn stranded(map: &Map) -> Vec<Tile> {
    let sea = open_sea(map);
    let grid = map.grid();
    let reached = |tile: Tile| {
        let beside = || grid.neighbors(tile).any(|(_, n)| sea[n.index()]);
        sea[tile.index()] || (map.is_harbor(tile) && beside())
    };
    grid.tiles().filter(|&tile| map.navigable(tile, Domain::Naval) && !reached(tile)).collect()
}

/// Marks the largest connected stretch of open tiles; of equals the one with the first tile.
pub(super) fn largest_stretch(grid: &Grid, open: impl Fn(Tile) -> bool) -> Vec<bool> {
    let mut flood = Flood::new(grid);
    let mut seen = vec![false; grid.len()];
    let (mut largest, mut size) = (None, 0);
    for tile in grid.tiles() {
        if seen[tile.index()] || !open(tile) {
            continue;
        }
        let mut count = 0;
        flood.run(tile, &open, |tile, _| {
            seen[tile.index()] = true;
            count += 1;
            true
        });
        if count > size {
            (largest, size) = (Some(tile), count);
        }
    }
    let mut marks = vec![false; grid.len()];
    if let Some(tile) = largest {
        flood.run(tile, &open, |tile, _| {
            marks[tile.index()] = true;
            true
        });
    }
    marks
}

/// Breadth-first search, with its lists kept between runs.
#[derive(Clone, Debug)]
pub(crate) struct Flood {
    grid: Grid,
    /// The number of the run that saw each tile last, so that nothing has to be wiped between runs.
    seen: Vec<u32>,
    run: u32,
    /// What to add to a tile that is not at the border for each neighbour, in even and in odd rows: most of the time
    /// of drawing a large map is spent here.
    inner: [[isize; 6]; 2],
    here: Vec<Tile>,
    next: Vec<Tile>,
}

impl Flood {
    pub(crate) fn new(grid: &Grid) -> Self {
        let width = grid.width() as isize;
        let inner = [0, 1].map(|odd| [1, odd - width, odd - 1 - width, -1, odd - 1 + width, odd + width]);
        Self { grid: *grid, seen: vec![0; grid.len()], run: 0, inner, here: Vec::new(), next: Vec::new() }
    }

    /// Visits every tile that open tiles connect with `from`, nearest first and `from` itself as the first,
    /// until `visit` says `false`.
    pub(crate) fn run(&mut self, from: Tile, open: impl Fn(Tile) -> bool, mut visit: impl FnMut(Tile, u32) -> bool) {
        self.run += 1;
        self.here.clear();
        self.next.clear();
        self.here.push(from);
        self.seen[from.index()] = self.run;
        let mut steps = 0;
        while !self.here.is_empty() {
            for &tile in &self.here {
                if !visit(tile, steps) {
                    return;
                }
                let mut spread = |n: Tile| {
                    if self.seen[n.index()] != self.run && open(n) {
                        self.seen[n.index()] = self.run;
                        self.next.push(n);
                    }
                };
                let (column, row) = self.grid.offset(tile);
                if (1..self.grid.width() - 1).contains(&column) && (1..self.grid.height() - 1).contains(&row) {
                    let steps = &self.inner[row as usize & 1];
                    steps.iter().for_each(|&step| spread(Tile::from_index(tile.index().wrapping_add_signed(step))));
                } else {
                    self.grid.neighbors(tile).for_each(|(_, n)| spread(n));
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
            self.next.clear();
            steps += 1;
        }
    }
}
