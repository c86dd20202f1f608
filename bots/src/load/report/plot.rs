//! Plots as SVG, drawn with the colours of the page that they are on.

use std::fmt::Write;

/// The size of a plot, in the units of its picture.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 280.0;
/// The room around the area that is drawn on: left, right, top, bottom.
const ROOM: [f64; 4] = [64.0, 20.0, 14.0, 40.0];

/// How numbers become places.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scale {
    /// Equal steps are equally far apart.
    Linear(f64, f64),
    /// Equal factors are equally far apart.
    Log(f64, f64),
}

impl Scale {
    /// The place of a number on the scale, from 0 to 1.
    fn place(self, number: f64) -> f64 {
        let place = match self {
            Self::Linear(from, to) => (number - from) / (to - from),
            Self::Log(from, to) => (number / from).ln() / (to / from).ln(),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// A scale from zero for numbers up to this.
    pub(super) fn up_to(most: f64) -> Self {
        Self::Linear(0.0, if most > 0.0 { most * 1.08 } else { 1.0 })
    }

    /// A scale by factors of ten around numbers above zero.
    pub(super) fn decades(numbers: impl Iterator<Item = f64> + Clone) -> Self {
        let least = numbers.clone().filter(|&number| number > 0.0).fold(f64::INFINITY, f64::min);
        let most = numbers.fold(0.0, f64::max);
        if !least.is_finite() {
            return Self::Log(0.1, 10.0);
        }
        let from = 10_f64.powf(least.log10().floor());
        let to = 10_f64.powf(most.log10().ceil());
        Self::Log(from, if to > from { to } else { from * 10.0 })
    }

    /// Round numbers on the scale, for the marks of its axis.
    fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear(from, to) => {
                let rough = (to - from) / 5.0;
                let power = 10_f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|&step| step >= rough);
                let step = step.unwrap_or(rough);
                let count = ((to - from) / step).floor() as usize;
                (0..=count).map(|number| from + step * number as f64).collect()
            }
            Self::Log(from, to) => {
                let decades = (to / from).log10().round() as i32;
                let between: &[f64] = if decades <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let ticks = (0..=decades).flat_map(|power| between.iter().map(move |times| times * 10_f64.powi(power)));
                ticks.map(|times| from * times).filter(|tick| *tick <= to * 1.001).collect()
            }
        }
    }
}

/// A number without needless digits.
pub(super) fn number(number: f64) -> String {
    let digits = if number >= 100.0 || number == 0.0 { 0 } else { 3 };
    let text = format!("{number:.digits$}");
    if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A plot as it is drawn.
pub(super) struct Plot {
    x: Scale,
    y: Scale,
    body: String,
    names: Vec<(usize, String)>,
}

impl Plot {
    /// An empty plot with axes that are named.
    pub(super) fn new(x: Scale, y: Scale, x_name: &str, y_name: &str) -> Self {
        let ticks = x.ticks().into_iter().map(|tick| (tick, number(tick))).collect();
        Self::with_ticks(x, y, x_name, y_name, ticks)
    }

    /// An empty plot with other words along the x axis.
    pub(super) fn with_ticks(x: Scale, y: Scale, x_name: &str, y_name: &str, ticks: Vec<(f64, String)>) -> Self {
        let mut plot = Self { x, y, body: String::new(), names: Vec::new() };
        let [left, right, top, bottom] = [ROOM[0], WIDTH - ROOM[1], ROOM[2], HEIGHT - ROOM[3]];
        for tick in y.ticks() {
            let (_, at) = plot.at(0.0, tick);
            let text = number(tick);
            plot.write(format_args!(
                "<line class=\"grid\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                left - 6.0,
                at + 4.0
            ));
        }
        for (tick, text) in ticks {
            let (at, _) = plot.at(tick, 0.0);
            plot.write(format_args!(
                "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 16.0
            ));
        }
        plot.write(format_args!(
            "<line class=\"axis\" x1=\"{left}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\"/>\
             <text class=\"name\" x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{x_name}</text>\
             <text class=\"name\" x=\"14\" y=\"{top}\" transform=\"rotate(-90 14 {top})\" text-anchor=\"end\">{y_name}</text>",
            HEIGHT - 6.0
        ));
        plot
    }

    /// Draws a line through points, in the colour of a number, with a name in the legend.
    pub(super) fn line(&mut self, colour: usize, name: &str, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        let mut path = String::new();
        for (place, &(x, y)) in points.iter().enumerate() {
            let (x, y) = self.at(x, y);
            let letter = if place == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{letter}{x:.1} {y:.1}");
        }
        self.write(format_args!("<path class=\"line c{colour}\" d=\"{path}\"/>"));
        self.names.push((colour, name.to_owned()));
    }

    /// Draws points, each with what it says when it is pointed at.
    pub(super) fn dots(&mut self, colour: usize, dots: &[(f64, f64, String)]) {
        for (x, y, says) in dots {
            let (x, y) = self.at(*x, *y);
            self.write(format_args!(
                "<circle class=\"dot c{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{says}</title></circle>"
            ));
        }
    }

    /// Draws a line across the whole plot.
    pub(super) fn bound(&mut self, y: f64, says: &str) {
        let (_, at) = self.at(0.0, y);
        let (left, right) = (ROOM[0], WIDTH - ROOM[1]);
        self.write(format_args!(
            "<line class=\"bound\" x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>\
             <text class=\"tick\" x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{says}</text>",
            at - 5.0
        ));
    }

    /// Draws a filled rectangle between two corners; the strength goes from 0 to 1.
    pub(super) fn cell(&mut self, from: (f64, f64), to: (f64, f64), strength: f64) {
        let ((x1, y1), (x2, y2)) = (self.at(from.0, from.1), self.at(to.0, to.1));
        self.write(format_args!(
            "<rect class=\"cell\" x=\"{x1:.1}\" y=\"{y2:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"{strength:.2}\"/>",
            (x2 - x1).max(0.5),
            (y1 - y2).max(0.5)
        ));
    }

    /// The finished plot as SVG.
    pub(super) fn draw(self, title: &str) -> String {
        let mut legend = String::new();
        for (colour, name) in self.names.iter().filter(|(_, name)| !name.is_empty()) {
            let _ = write!(legend, "<span><i class=\"c{colour}\"></i>{name}</span>");
        }
        format!(
            "<figure><figcaption><b>{title}</b>{legend}</figcaption>\
             <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">{}</svg></figure>\n",
            self.body
        )
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, right, top, bottom] = [ROOM[0], WIDTH - ROOM[1], ROOM[2], HEIGHT - ROOM[3]];
        (left + self.x.place(x) * (right - left), bottom - self.y.place(y) * (bottom - top))
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(arguments);
    }
}
