//! Plots: what calls cost beside native, and what shares were kept.

use crate::document::{Document, Outcome};
use crate::figure::Measured;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// What calls and programs take, as multiples of native.
const RATIOS: &str = "ratios.svg";
/// What tenants had of the device, by what they were to have.
const SHARES: &str = "shares.svg";

/// A line of a metric: its name, and the ratio of each interposer but nothing.
struct Bars {
    name: String,
    ratios: Vec<Option<f64>>,
}

/// One share: what was wanted, and the median and range of what each interposer gave.
struct Point {
    wanted: f64,
    kept: Vec<Option<(f64, f64, f64)>>,
}

/// Draws what there is something to draw of, and says how the files are called.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn draw(document: &Document, directory: &Path) -> Result<Vec<&'static str>> {
    let mut files = Vec::new();
    let (bars, points) = (bars(document), points(document));
    let names: Vec<&str> = document.interposers.iter().skip(1).map(|subject| subject.name.as_str()).collect();
    if bars.iter().flat_map(|bars| &bars.ratios).any(Option::is_some) {
        let height = u32::try_from(70 + bars.len() * (12 + 14 * names.len()))?;
        let path = directory.join(RATIOS);
        let area = SVGBackend::new(&path, (960, height)).into_drawing_area();
        ratios(&area, &bars, &names).and_then(|()| drawn(area.present()))?;
        files.push(RATIOS);
    }
    if points.len() > 1 {
        let path = directory.join(SHARES);
        let area = SVGBackend::new(&path, (560, 480)).into_drawing_area();
        shares(&area, &points, &names).and_then(|()| drawn(area.present()))?;
        files.push(SHARES);
    }
    Ok(files)
}

/// The lines of metrics that are times and have a ratio to native.
fn bars(document: &Document) -> Vec<Bars> {
    let metrics = document.metrics.iter().filter(|metric| ["ns", "us"].contains(&metric.unit));
    let lines = metrics.flat_map(|metric| metric.lines.iter().map(move |line| (metric, line)));
    let ratio = |outcome: &Outcome| measured(outcome)?.ratio;
    let bars = lines.map(|(metric, line)| Bars {
        name: format!("{} {}", metric.id, line.name),
        ratios: line.figures.iter().skip(1).map(|figure| ratio(&figure.outcome)).collect(),
    });
    bars.filter(|bars| bars.ratios.iter().any(Option::is_some)).collect()
}

/// The lines of IS-003 that begin with a share and have no neighbour.
fn points(document: &Document) -> Vec<Point> {
    let metric = document.metrics.iter().filter(|metric| metric.id == "IS-003");
    let lines = metric.flat_map(|metric| &metric.lines).filter(|line| line.name.contains("2 ms"));
    let kept = |outcome: &Outcome| {
        let spread = measured(outcome)?.spread;
        Some((spread.least, spread.median, spread.most))
    };
    let point = |line: &crate::document::Line| {
        let wanted = line.name.split(' ').next()?.parse().ok()?;
        let kept = line.figures.iter().skip(1).map(|figure| kept(&figure.outcome)).collect();
        Some(Point { wanted, kept })
    };
    lines.filter_map(point).collect()
}

const fn measured(outcome: &Outcome) -> Option<&Measured> {
    match outcome {
        Outcome::Measured { measured, .. } => Some(measured),
        Outcome::Absent { .. } => None,
    }
}

/// Bars from 1 on a logarithmic axis that begins at a tenth: what takes as long as natively has none.
fn ratios(area: &DrawingArea<SVGBackend<'_>, Shift>, bars: &[Bars], names: &[&str]) -> Result<()> {
    drawn(area.fill(&WHITE))?;
    let all = bars.iter().flat_map(|bars| bars.ratios.iter().flatten());
    let (most, rows) =
        (all.fold(2.0_f64, |most, ratio| most.max(*ratio)), f64::from(u32::try_from(bars.len())?));
    let mut builder = ChartBuilder::on(area);
    builder.caption("Time as a multiple of native", ("sans-serif", 18));
    builder.margin(10).margin_left(300).x_label_area_size(30);
    let mut chart = drawn(builder.build_cartesian_2d((0.1..most * 1.3).log_scale(), 0.0..rows))?;
    let mut mesh = chart.configure_mesh();
    drawn(
        mesh.disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .y_labels(0)
            .x_label_formatter(&|ratio| format!("{ratio}x"))
            .draw(),
    )?;
    let thickness = 0.8 / f64::from(u32::try_from(names.len().max(1))?);
    for ((interposer, name), place) in names.iter().enumerate().zip(0_u32..) {
        let colour = Palette99::pick(interposer).to_rgba();
        let rectangles = bars.iter().rev().zip(0_u32..).filter_map(|(bars, row)| {
            let ratio = bars.ratios.get(interposer).copied().flatten()?;
            let top = f64::from(row) + 0.9 - thickness * f64::from(place);
            Some(Rectangle::new(bar(ratio, top, thickness), colour.filled()))
        });
        let series = drawn(chart.draw_series(rectangles))?;
        series
            .label(*name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], colour.filled()));
    }
    drawn(chart.draw_series(LineSeries::new([(1.0, 0.0), (1.0, rows)], BLACK)))?;
    for (bars, row) in bars.iter().rev().zip(0_u32..) {
        let (_, y) = chart.backend_coord(&(0.1, f64::from(row) + 0.5));
        drawn(area.draw(&Text::new(bars.name.clone(), (12, y - 6), ("sans-serif", 13))))?;
    }
    drawn(chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw())
}

/// Two corners of the bar of a ratio.
const fn bar(ratio: f64, top: f64, thickness: f64) -> [(f64, f64); 2] {
    [(1.0, top), (ratio, top - thickness)]
}

/// Medians with their ranges, and the line on which they belong.
fn shares(area: &DrawingArea<SVGBackend<'_>, Shift>, points: &[Point], names: &[&str]) -> Result<()> {
    drawn(area.fill(&WHITE))?;
    let mut chart = drawn(
        ChartBuilder::on(area)
            .caption("Share of compute (kernels of 2 ms)", ("sans-serif", 18))
            .margin(15)
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(0.0..100.0, 0.0..110.0),
    )?;
    drawn(
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("limit, percent")
            .y_desc("had, percent of native")
            .draw(),
    )?;
    drawn(chart.draw_series(LineSeries::new([(0.0, 0.0), (100.0, 100.0)], BLACK.mix(0.4))))?;
    for (interposer, name) in names.iter().enumerate() {
        let colour = Palette99::pick(interposer).to_rgba();
        let kept =
            points.iter().filter_map(|point| Some((point.wanted, point.kept.get(interposer).copied()??)));
        let ranges = kept.map(|(wanted, (least, median, most))| {
            ErrorBar::new_vertical(wanted, least, median, most, colour.filled(), 8)
        });
        let series = drawn(chart.draw_series(ranges))?;
        series.label(*name).legend(move |(x, y)| Circle::new((x + 5, y), 4, colour.filled()));
    }
    drawn(chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).border_style(BLACK).draw())
}

/// Errors of drawing are bound to the lifetime of what is drawn on.
fn drawn<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T> {
    result.map_err(|error| anyhow!("cannot draw: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_as_fast_as_natively_had_a_bar_a_tenth_long() {
        let (names, bars) =
            (["a", "b"], |ratio| [Bars { name: "x".to_owned(), ratios: vec![Some(ratio), None] }]);
        let drawn = |ratio| {
            let mut text = String::new();
            ratios(&SVGBackend::with_string(&mut text, (960, 100)).into_drawing_area(), &bars(ratio), &names)
                .unwrap();
            let colour = "#E6194B";
            let widths = text.lines().filter(|line| line.contains("<rect") && line.contains(colour));
            let width = |line: &str| line.split("width=\"").nth(1)?.split('"').next()?.parse::<u32>().ok();
            widths.filter_map(width).collect::<Vec<_>>()
        };
        assert!(drawn(1.0).iter().all(|width| *width <= 10), "{:?}", drawn(1.0));
        assert!(drawn(2.0).iter().any(|width| *width > 50), "{:?}", drawn(2.0));
        assert!(drawn(0.5).iter().any(|width| *width > 50), "{:?}", drawn(0.5));
    }
}
