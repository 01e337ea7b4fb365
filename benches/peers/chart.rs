//! The table, as a picture: a line an operation, a dot an engine, on a logarithmic scale.

use std::path::Path;

use plotters::{coord::types::RangedCoordf64, prelude::*};

use crate::{engines, rounds::Row};

const WIDTH: u32 = 1000;

/// The height of a line, in pixels.
const LINE: u32 = 34;

/// The room for the titles and the scale, in pixels.
const MARGIN: u32 = 110;

/// From less than the best ratio to more than any engine's; what is beyond stands at the edge.
const SCALE: std::ops::Range<f64> = 0.1..20_000.0;

const COLOURS: [RGBColor; 8] = [
    RGBColor(120, 120, 120),
    RGBColor(200, 30, 60),
    RGBColor(150, 110, 60),
    RGBColor(20, 90, 170),
    RGBColor(120, 180, 230),
    RGBColor(220, 140, 0),
    RGBColor(20, 140, 90),
    RGBColor(130, 70, 160),
];

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<LogCoord<f64>, RangedCoordf64>>;

pub(crate) fn draw(rows: &[Row], file: &Path) {
    let height = MARGIN + LINE * u32::try_from(rows.len()).expect("a few rows");
    let area = SVGBackend::new(file, (WIDTH, height)).into_drawing_area();
    area.fill(&WHITE).expect("a background");
    let mut chart = ChartBuilder::on(&area)
        .caption("times the bare system calls (logarithmic; left is better)", ("sans-serif", 16))
        .margin(10)
        .margin_right(40)
        .x_label_area_size(30)
        .y_label_area_size(250)
        .build_cartesian_2d(SCALE.log_scale(), -0.5..rows.len() as f64 - 0.5)
        .expect("a chart");
    draw_axes(&mut chart, rows);
    draw_dots(&mut chart, rows);
    draw_legend(&mut chart);
    area.present().expect("a file");
}

fn draw_axes(chart: &mut Chart<'_>, rows: &[Row]) {
    let name = |at: &f64| {
        let row = rows.len().checked_sub(1 + at.round() as usize).and_then(|row| rows.get(row));
        row.map_or_else(String::new, |row| row.name.to_owned())
    };
    chart
        .configure_mesh()
        .y_labels(rows.len() + 1)
        .y_label_formatter(&name)
        .x_label_formatter(&|ratio| format!("{ratio}×"))
        .disable_y_mesh()
        .draw()
        .expect("a mesh");
}

fn draw_dots(chart: &mut Chart<'_>, rows: &[Row]) {
    for (index, (engine, colour)) in engines::ALL.iter().zip(COLOURS).enumerate() {
        let dots = rows.iter().rev().enumerate().filter_map(|(line, row)| {
            let ratio = row.to_raw[index]?.median.clamp(SCALE.start, SCALE.end);
            Some(Circle::new((ratio, line as f64), 5, colour.filled()))
        });
        chart
            .draw_series(dots)
            .expect("dots")
            .label(engine.name)
            .legend(move |at| Circle::new(at, 5, colour.filled()));
    }
}

fn draw_legend(chart: &mut Chart<'_>) {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()
        .expect("a legend");
}
