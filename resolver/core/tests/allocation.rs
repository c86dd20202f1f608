//! The movement tick allocates nothing once its lists have grown.

#![allow(unsafe_code, reason = "an allocator that counts is an unsafe trait to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use parley_core::field::Field;
use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is being torn down has no counter any more, and nobody reads it.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Puts units on every third tile or so, all of them on the move.
fn load(field: &mut Field, grid: &Grid) {
    field.clear();
    for tile in grid.tiles().filter(|tile| tile.index() * 7 % 3 == 0) {
        let (steps, left) = path(grid, tile);
        field.add_unit(tile, (tile.index() % 5) as u8, 4 + (tile.index() % 5) as u8, steps, left);
    }
    field.start();
}

/// Eight packed steps that stay on the map.
fn path(grid: &Grid, start: Tile) -> (u64, u8) {
    let (mut here, mut steps, mut left, mut heading) = (start, 0, 0, start.index());
    while left < 8 {
        match grid.neighbor(here, Direction::from_index(heading)) {
            Some(next) => {
                steps |= (heading as u64 % 6) << (4 * left);
                (here, left) = (next, left + 1);
            }
            None => heading += 1,
        }
        heading += here.index() % 2;
    }
    (steps, left)
}

/// Runs all ticks and returns how many units moved, waited and met.
fn run(field: &mut Field, halting: &mut Vec<u32>) -> [u64; 3] {
    let mut tally = [0; 3];
    for tick in 1..=8 {
        field.look(tick);
        field.apply(|_, _| 0, |_, _| tally[0] += 1);
        let findings = field.findings();
        tally[1] += findings.waiting.len() as u64;
        halting.clear();
        halting.extend(findings.passing.iter().chain(&findings.entering));
        tally[2] += halting.len() as u64;
        for &unit in &*halting {
            field.halt(unit, true);
        }
    }
    tally
}

#[test]
fn a_warm_tick_allocates_nothing() {
    // The larger field is sorted before its first tick, the smaller one is not.
    for (width, height) in [(20, 14), (200, 150)] {
        let grid = Grid::new(width, height, false).expect("a grid");
        let mut field = Field::new(grid);
        let mut halting = Vec::new();
        load(&mut field, &grid);
        let cold = run(&mut field, &mut halting);
        load(&mut field, &grid);
        let before = ALLOCATIONS.get();
        let warm = run(&mut field, &mut halting);
        assert_eq!(ALLOCATIONS.get() - before, 0, "{width} x {height}");
        assert_eq!(warm, cold);
        assert!(warm.iter().all(|&count| count > 0), "the ticks had everything in them: {warm:?}");
    }
}

#[test]
fn the_counter_counts() {
    let before = ALLOCATIONS.get();
    std::hint::black_box(vec![1u8; 100]);
    assert_eq!(ALLOCATIONS.get() - before, 1);
}
