use std::time::Instant;

use super::super::plan::Length;
use super::super::saturation::SaturationStep;
use super::*;

/// A report with everything in it.
fn report() -> Report {
    let mut all = Meter::default();
    let now = Instant::now();
    all.saw(now);
    all.saw(now + Duration::from_secs(3));
    let mut series = Series::default();
    for number in 1..=3000_u64 {
        let mut sample = Meter { turns: 1, lock_ins: 4, ..Meter::default() };
        sample.lock_in.record(Duration::from_micros(300 + number));
        sample.outcome.record(Duration::from_micros(700 + number * 3));
        sample.seat_outcome.record(Duration::from_micros(600 + number * 3));
        sample.scheduled_outcome.record(Duration::from_micros(900 + number * 4));
        series.add(Duration::from_millis(number), &sample);
        all.add(&sample);
    }
    all.ended = 100;
    let verified = Verified { matches: 100, turns: 3000, receipts: 12_000, ..Verified::default() };
    let mut saturation = SaturationSearch::new(Duration::from_millis(50));
    for (rate, p99) in [(250, 4), (500, 9), (1000, 80)] {
        let times = [1, p99, 2 * p99].map(Duration::from_millis);
        saturation.steps.push(SaturationStep { rate, reached: rate.into(), times, errors: 0 });
    }
    let mut ceiling = Ceiling { rate: 30_000.0, times: Default::default(), server_time: None, own_time: None };
    ceiling.times.record(Duration::from_millis(1));
    Report {
        plan: LoadPlan { matches: 100, length: Length::Turns(30), rate: Some(1000), ..LoadPlan::default() },
        whole: all.clone(),
        all,
        series,
        faults: Vec::new(),
        server_time: Some(Duration::from_millis(900)),
        own_time: Some(Duration::from_millis(150)),
        verified,
        left_out: 7,
        saturation: Some(saturation),
        ceiling: Some(ceiling),
    }
}

#[test]
fn a_report_is_clean_only_if_everything_was_played_and_verified() {
    let clean = report();
    assert!(clean.is_clean(), "{}", clean.verdict());
    let changes: [fn(&mut Report); 6] = [
        |r| r.whole.errors.count("OTHER_TURN"),
        |r| r.whole.ended -= 1,
        |r| r.verified.matches -= 1,
        |r| r.verified.turns -= 1,
        |r| r.verified.receipts -= 1,
        |r| r.verified.failures += 1,
    ];
    for change in changes {
        let mut changed = report();
        change(&mut changed);
        assert!(!changed.is_clean());
    }
}

#[test]
fn the_text_says_what_was_measured() {
    let text = report().to_text();
    for line in [
        "turns              3000 in 3.00 s: 1000/s",
        "left out           7 turns that the schedule wanted",
        "server             300.0 us of processor time per turn",
        "generator          50.0 us of processor time per turn",
        "verified           100 matches, 3000 turns, 12000 receipts",
        "verdict            no errors, every digest and every receipt verified",
        "500 turns/s keep p99 within 50 ms",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} in\n{text}");
    }
}

#[test]
fn the_json_can_be_read_by_programs() {
    let text = format!("{:#}", report().to_json());
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["turns"], 3000);
    assert_eq!(json["turns_per_second"], 1000.0);
    assert_eq!(json["clean"], true);
    assert_eq!(json["turns_left_out"], 7);
    assert_eq!(json["saturation"]["turns_per_second"], 500);
    assert_eq!(json["plan"]["turns"], 30);
    assert_eq!(json["server_per_turn"], 300.0);
    let pieces = json["series"]["pieces"].as_array().expect("pieces");
    assert_eq!(pieces.iter().map(|piece| piece["turns"].as_u64().expect("a count")).sum::<u64>(), 3000);
    let p99 = json["lock_in"]["p99"].as_f64().expect("a time");
    assert!((3200.0..3300.0).contains(&p99), "{p99}");
}

#[test]
fn the_page_needs_nothing_from_anywhere() {
    let page = report().to_html();
    for foreign in ["http://", "https://", "//", "src=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(foreign), "{foreign} is in the page");
    }
    assert_eq!(page.matches("<svg").count(), 5);
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(!page.contains("NaN") && !page.contains("inf"));
    assert!(page.contains("prefers-color-scheme: dark"));
}

#[test]
fn what_a_server_says_cannot_become_markup() {
    let mut report = report();
    report.faults.push("<b>&\"".to_owned());
    let page = report.to_html();
    assert!(page.contains("&lt;b&gt;&amp;&quot;") && !page.contains("<b>&\""));
}

#[test]
fn a_run_without_anything_can_be_shown() {
    let empty = Report {
        all: Meter::default(),
        whole: Meter::default(),
        series: Series::default(),
        saturation: Some(SaturationSearch::new(Duration::from_millis(50))),
        ceiling: None,
        server_time: None,
        own_time: None,
        ..report()
    };
    assert!(!empty.is_clean());
    let page = empty.to_html();
    assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    assert!(empty.to_text().contains("no rate keeps p99 within 50 ms"));
}
