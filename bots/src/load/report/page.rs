//! The report as one page that needs nothing from anywhere: numbers in a table, and plots.

use super::super::meter::Timing;
use super::plot::{Plot, Scale, number};
use super::{Report, millis};

/// How the page looks, by day and by night.
const STYLE: &str = include_str!("page.css");
/// The rarest part of all that a curve of percentiles goes to, as a power of ten.
const RAREST: f64 = 5.0;
/// How many rows the heat map has in each decade.
const ROWS: usize = 8;

impl Report {
    /// The report as a whole HTML page.
    pub fn to_html(&self) -> String {
        let title = "Parley load run";
        let verdict = escaped(&self.verdict());
        let mood = if self.is_clean() { "good" } else { "bad" };
        let mut body =
            format!("<h1>{title}</h1><p>{}</p><p class=\"{mood}\">{verdict}</p>\n", escaped(&self.sentence()));
        body += &self.tiles();
        body += &self.percentiles();
        body += &self.throughput();
        body += &self.over_time();
        body += &self.heat();
        body += &self.saturation_plot();
        body += &self.table();
        body += &self.notes();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"><title>{title}</title>\n<style>\n{STYLE}</style></head>\n\
             <body><main>\n{body}</main></body></html>\n"
        )
    }

    fn tiles(&self) -> String {
        let (all, whole) = (&self.all, &self.whole);
        let outcome = all.told_outcome();
        let mut tiles = vec![
            ("turns per second", number(all.rate().round())),
            ("lock-in p50", format!("{} ms", short(all.lock_in.at(0.5)))),
            ("lock-in p99", format!("{} ms", short(all.lock_in.at(0.99)))),
            ("lock to outcome p50", format!("{} ms", short(outcome.at(0.5)))),
            ("lock to outcome p99", format!("{} ms", short(outcome.at(0.99)))),
            ("lock to outcome p99.9", format!("{} ms", short(outcome.at(0.999)))),
            ("errors", whole.errors.total().to_string()),
        ];
        if let Some(time) = self.server_time {
            tiles.push(("server per turn", format!("{:.0} µs", self.per_turn(time))));
        }
        if let Some(time) = self.own_time {
            tiles.push(("generator per turn", format!("{:.0} µs", self.per_turn(time))));
        }
        let tiles = tiles.into_iter().map(|(name, value)| format!("<div><b>{value}</b><span>{name}</span></div>"));
        format!("<section class=\"tiles\">{}</section>\n", tiles.collect::<String>())
    }

    /// All timings that there are, with their names.
    fn timings(&self) -> Vec<(&'static str, &Timing)> {
        let all = &self.all;
        let timings = [
            ("lock-in", &all.lock_in),
            ("lock to outcome, per match", &all.outcome),
            ("lock to outcome, per seat", &all.seat_outcome),
            ("schedule to outcome, per match", &all.scheduled_outcome),
            ("sent late by", &all.late),
        ];
        timings.into_iter().filter(|(_, timing)| timing.count() > 0).collect()
    }

    fn percentiles(&self) -> String {
        let curves: Vec<_> = self.timings().into_iter().take(4).map(|(name, timing)| (name, curve(timing))).collect();
        let y = Scale::decades(curves.iter().flat_map(|(_, curve)| curve.iter().map(|&(_, y)| y)));
        let ticks = [("0%", 0.0_f64), ("50%", 0.5), ("90%", 0.9), ("99%", 0.99), ("99.9%", 0.999), ("99.99%", 0.9999)];
        let ticks = ticks.map(|(text, part)| (rarity(part), text.to_owned())).to_vec();
        let x =
            Scale::Linear(0.0, curves.iter().flat_map(|(_, curve)| curve.last()).map(|&(x, _)| x).fold(2.0, f64::max));
        let mut plot = Plot::with_ticks(x, y, "this part of all took no longer", "ms", ticks);
        for (colour, (name, curve)) in curves.iter().enumerate() {
            plot.line(colour, name, curve);
        }
        plot.draw("How long it took")
    }

    /// The moments that pieces of the run end, in seconds, and the pieces.
    fn pieces(&self) -> impl Iterator<Item = (f64, &super::super::series::Piece)> + Clone {
        let width = self.series.width.as_secs_f64();
        (1..).zip(&self.series.pieces).map(move |(place, piece)| (f64::from(place) * width, piece))
    }

    fn seconds(&self) -> Scale {
        let last = self.pieces().last().map_or(1.0, |(moment, _)| moment);
        Scale::Linear(0.0, last)
    }

    fn throughput(&self) -> String {
        let width = self.series.width.as_secs_f64();
        let points: Vec<(f64, f64)> =
            self.pieces().map(|(moment, piece)| (moment, piece.turns as f64 / width)).collect();
        let most = points.iter().map(|&(_, y)| y).fold(0.0, f64::max);
        let mut plot = Plot::new(self.seconds(), Scale::up_to(most), "seconds", "turns per second");
        plot.line(0, "", &points);
        plot.draw("Turns per second")
    }

    fn over_time(&self) -> String {
        let parts = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];
        let lines = parts.map(|(name, part)| {
            let told = self.pieces().filter(|(_, piece)| piece.outcome.count() > 0);
            (name, told.map(|(moment, piece)| (moment, millis(piece.outcome.at(part)))).collect::<Vec<_>>())
        });
        let y = Scale::decades(lines.iter().flat_map(|(_, line)| line.iter().map(|&(_, y)| y)));
        let mut plot = Plot::new(self.seconds(), y, "seconds", "ms");
        for (colour, (name, line)) in lines.iter().enumerate() {
            plot.line(colour, name, line);
        }
        plot.draw("Lock to outcome over time, per match")
    }

    fn heat(&self) -> String {
        let width = self.series.width.as_secs_f64();
        let longest = self.pieces().map(|(_, piece)| millis(piece.outcome.max())).fold(1.0, f64::max);
        let shortest = self.pieces().filter(|(_, piece)| piece.outcome.count() > 0);
        let shortest = shortest.map(|(_, piece)| millis(piece.outcome.at(0.0))).fold(longest, f64::min);
        let y = Scale::decades([shortest, longest].into_iter());
        let Scale::Log(from, to) = y else { return String::new() };
        let rows = ((to / from).log10().round() as usize * ROWS).max(1);
        let edge = |row: usize| from * 10_f64.powf(row as f64 / ROWS as f64);
        let mut plot = Plot::new(self.seconds(), y, "seconds", "ms");
        for (moment, piece) in self.pieces() {
            let all = piece.outcome.count().max(1) as f64;
            for row in 0..rows {
                let count = piece.outcome.between(edge(row), edge(row + 1));
                if count > 0 {
                    // The root shows the few beside the many.
                    let strength = (count as f64 / all).sqrt().max(0.04);
                    plot.cell((moment - width, edge(row)), (moment, edge(row + 1)), strength);
                }
            }
        }
        plot.draw("Where the turns of each moment lie")
    }

    fn saturation_plot(&self) -> String {
        let Some(search) = self.saturation.as_ref().filter(|search| !search.steps.is_empty()) else {
            return String::new();
        };
        let mut steps = search.steps.clone();
        steps.sort_by_key(|step| step.rate);
        let points: Vec<(f64, f64)> = steps.iter().map(|step| (f64::from(step.rate), millis(step.times[1]))).collect();
        let most = points.last().map_or(1.0, |&(x, _)| x);
        let bound = millis(search.bound);
        let y = Scale::decades(points.iter().map(|&(_, y)| y).chain([bound]));
        let mut plot = Plot::new(Scale::up_to(most), y, "turns per second", "p99 ms");
        plot.bound(bound, &format!("{} ms", number(bound)));
        // Of a rate that was tried twice, the better try counts.
        let mut best = points.clone();
        best.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        best.dedup_by_key(|point| point.0);
        plot.line(0, "", &best);
        let says = |step: &super::super::saturation::SaturationStep| {
            format!("{} turns/s: p99 {} ms, {:.0} reached", step.rate, short(step.times[1]), step.reached)
        };
        let dots: Vec<_> = steps.iter().zip(points).map(|(step, (x, y))| (x, y, says(step))).collect();
        plot.dots(0, &dots);
        let found = search.saturation().map_or_else(|| "none".to_owned(), |rate| format!("{rate} turns/s"));
        plot.draw(&format!("The highest rate with p99 within {} ms: {found}", number(bound)))
    }

    fn table(&self) -> String {
        let mut rows = String::new();
        let mut row = |name: &str, timing: &Timing| {
            let cells = [0.5, 0.9, 0.99, 0.999, 1.0].map(|part| format!("<td>{}</td>", short(timing.at(part))));
            rows += &format!("<tr><th>{name}</th><td>{}</td>{}</tr>", timing.count(), cells.concat());
        };
        self.timings().into_iter().for_each(|(name, timing)| row(name, timing));
        if let Some(ceiling) = &self.ceiling {
            row(&format!("health check, {:.0} per second", ceiling.rate), &ceiling.times);
        }
        format!(
            "<table><thead><tr><th>milliseconds</th><th>count</th><th>p50</th><th>p90</th><th>p99</th><th>p99.9</th>\
             <th>longest</th></tr></thead><tbody>{rows}</tbody></table>\n"
        )
    }

    fn notes(&self) -> String {
        let (all, whole, verified) = (&self.all, &self.whole, &self.verified);
        let mut notes = vec![
            format!("{} turns in {:.2} s.", all.turns, all.time().as_secs_f64()),
            format!(
                "{} matches with {} turns and {} receipts were verified.",
                verified.matches, verified.turns, verified.receipts
            ),
            format!("{} connections were opened again, {} sessions resumed.", whole.reconnects, whole.resumed),
        ];
        if self.left_out > 0 {
            notes.push(format!("{} turns that the schedule wanted did not begin.", self.left_out));
        }
        notes.extend(whole.errors.kinds.iter().map(|(kind, times)| format!("{kind}: {times}")));
        notes.extend(self.faults.iter().chain(&verified.faults).cloned());
        let notes = notes.iter().map(|note| format!("<li>{}</li>", escaped(note)));
        format!("<ul>{}</ul>\n", notes.collect::<String>())
    }
}

/// Milliseconds with as many digits as are of use.
fn short(time: std::time::Duration) -> String {
    let millis = millis(time);
    let digits = if millis < 1.0 {
        3
    } else if millis < 100.0 {
        2
    } else {
        0
    };
    format!("{millis:.digits$}")
}

/// How rare it is to be beyond a part of all, as a power of ten.
fn rarity(part: f64) -> f64 {
    -(1.0 - part).log10()
}

/// A timing as a curve: how rare, and how long.
fn curve(timing: &Timing) -> Vec<(f64, f64)> {
    let most = (timing.count().max(1) as f64).log10().min(RAREST);
    let points = (0..).map(|step| f64::from(step) * 0.05).take_while(|&x| x <= most);
    points.map(|x| (x, millis(timing.at(1.0 - 10_f64.powf(-x))))).collect()
}

/// A text with everything escaped that could pass for markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
