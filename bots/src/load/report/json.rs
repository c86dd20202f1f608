//! The report for programs. Times are in microseconds unless their names say otherwise.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::meter::Timing;
use super::super::plan::Length;
use super::{Report, millis};

impl Report {
    /// Everything that was measured, as JSON.
    pub fn to_json(&self) -> Value {
        let (plan, all, whole, verified) = (&self.plan, &self.all, &self.whole, &self.verified);
        let (turns, seconds) = match plan.length {
            Length::Turns(turns) => (Some(turns), None),
            Length::Time(time) => (None, Some(time.as_secs_f64())),
        };
        json!({
            "plan": {
                "matches": plan.matches, "players": plan.players, "ships": plan.ships, "turns": turns,
                "seconds": seconds, "connections": plan.connections, "threads": plan.threads,
                "rate": plan.rate, "seed": plan.seed,
            },
            "turns": all.turns,
            "lock_ins": all.lock_ins,
            "seconds": all.time().as_secs_f64(),
            "turns_per_second": all.rate(),
            "lock_in": times(&all.lock_in),
            "outcome_per_match": times(&all.outcome),
            "outcome_per_seat": times(&all.seat_outcome),
            "outcome_from_schedule": times(&all.scheduled_outcome),
            "sent_late_by": times(&all.late),
            "turns_left_out": self.left_out,
            "server_per_turn": self.server_time.map(|time| self.per_turn(time)),
            "generator_per_turn": self.own_time.map(|time| self.per_turn(time)),
            "reconnects": whole.reconnects,
            "sessions_resumed": whole.resumed,
            "errors": whole.errors.kinds,
            "error_count": whole.errors.total(),
            "faults": self.faults,
            "verified": {
                "matches": verified.matches, "turns": verified.turns, "receipts": verified.receipts,
                "failures": verified.failures, "faults": verified.faults,
            },
            "clean": self.is_clean(),
            "series": self.series(),
            "saturation": self.saturation(),
            "ceiling": self.ceiling.as_ref().map(|ceiling| json!({
                "checks_per_second": ceiling.rate, "times": times(&ceiling.times),
                "server_per_check": ceiling.server_time.map(micros), "generator_per_check": ceiling.own_time.map(micros),
            })),
        })
    }

    fn series(&self) -> Value {
        let pieces = self.series.pieces.iter().map(|piece| {
            json!({
                "turns": piece.turns, "errors": piece.errors,
                "lock_in": times(&piece.lock_in), "outcome": times(&piece.outcome),
            })
        });
        json!({"width_ms": millis(self.series.width), "pieces": pieces.collect::<Vec<_>>()})
    }

    fn saturation(&self) -> Option<Value> {
        let search = self.saturation.as_ref()?;
        let steps = search.steps.iter().map(|step| {
            let [p50, p99, p999] = step.times.map(micros);
            json!({
                "rate": step.rate, "reached": step.reached, "p50": p50, "p99": p99, "p99_9": p999,
                "errors": step.errors, "holds": step.holds(search.bound),
            })
        });
        let steps: Vec<Value> = steps.collect();
        Some(json!({"p99_bound_ms": millis(search.bound), "turns_per_second": search.saturation(), "steps": steps}))
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn times(timing: &Timing) -> Value {
    let [p50, p90, p99, p999, most] = [0.5, 0.9, 0.99, 0.999, 1.0].map(|part| micros(timing.at(part)));
    json!({"count": timing.count(), "p50": p50, "p90": p90, "p99": p99, "p99_9": p999, "max": most})
}
