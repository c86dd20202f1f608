//! The report for a terminal.

use std::fmt::Write;
use std::time::Duration;

use super::super::meter::Timing;
use super::{Report, millis};

impl Report {
    /// The report as a few lines of text.
    pub fn to_text(&self) -> String {
        let (all, whole) = (&self.all, &self.whole);
        let mut rows = vec![
            ("plan", self.sentence()),
            ("turns", format!("{} in {:.2} s: {:.0}/s", all.turns, all.time().as_secs_f64(), all.rate())),
            ("lock-in", times(&all.lock_in)),
            ("lock to outcome", format!("{}, per match", times(&all.outcome))),
            ("", format!("{}, per seat", times(&all.seat_outcome))),
        ];
        if all.scheduled_outcome.count() > 0 {
            rows.push(("from the schedule", format!("{}, per match", times(&all.scheduled_outcome))));
            rows.push(("sent late by", times(&all.late)));
        }
        if self.left_out > 0 {
            rows.push(("left out", format!("{} turns that the schedule wanted", self.left_out)));
        }
        let processor = |time: Duration| format!("{:.1} us of processor time per turn", self.per_turn(time));
        rows.extend(self.server_time.map(|time| ("server", processor(time))));
        rows.extend(self.own_time.map(|time| ("generator", processor(time))));
        if let Some(ceiling) = &self.ceiling {
            let checks = format!("{:.0} health checks/s, {}", ceiling.rate, times(&ceiling.times));
            rows.push(("ceiling", format!("{checks}; {:.2} of them per turn", ceiling.rate / all.rate().max(1e-9))));
        }
        rows.push(("connections", format!("{} opened again, {} sessions resumed", whole.reconnects, whole.resumed)));
        let verified = &self.verified;
        rows.push((
            "verified",
            format!("{} matches, {} turns, {} receipts", verified.matches, verified.turns, verified.receipts),
        ));
        rows.push(("verdict", self.verdict()));
        let mut text = String::new();
        for (name, value) in rows {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<18} {value}");
        }
        for (kind, times) in &whole.errors.kinds {
            let _ = writeln!(text, "  {kind}: {times}");
        }
        for fault in self.faults.iter().chain(&verified.faults) {
            let _ = writeln!(text, "  {fault}");
        }
        self.saturation_text(&mut text);
        text.truncate(text.trim_end().len());
        text
    }

    fn saturation_text(&self, text: &mut String) {
        let Some(search) = &self.saturation else { return };
        let _ = writeln!(text, "\n   turns/s   reached   p50 ms   p99 ms  p99.9 ms  errors");
        for step in &search.steps {
            let [p50, p99, p999] = step.times.map(millis);
            let holds = if step.holds(search.bound) { "holds" } else { "" };
            let (rate, reached, errors) = (step.rate, step.reached, step.errors);
            let _ = writeln!(text, "{rate:>10} {reached:>9.0} {p50:>8.2} {p99:>8.2} {p999:>9.2} {errors:>7}  {holds}");
        }
        let bound = millis(search.bound);
        let _ = match search.saturation() {
            Some(rate) => writeln!(text, "{rate} turns/s keep p99 within {bound} ms"),
            None => writeln!(text, "no rate keeps p99 within {bound} ms"),
        };
    }
}

fn times(timing: &Timing) -> String {
    let [p50, p99, p999, most] = [0.5, 0.99, 0.999, 1.0].map(|part| millis(timing.at(part)));
    format!("p50 {p50:.2} ms, p99 {p99:.2} ms, p99.9 {p999:.2} ms, longest {most:.2} ms")
}
