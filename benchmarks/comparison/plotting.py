"""Charts as SVG, without a plotting library: lines and points on linear or logarithmic axes."""

import dataclasses
import html
import math

WIDTH = 760
LEFT, RIGHT, TOP, BOTTOM = 78, 24, 56, 62
COLOURS = ["#1f6fb2", "#d1603d", "#3a8a5f", "#7a57a6", "#8a6d1f"]
STYLE = """
  text { font: 13px "Helvetica Neue", Arial, sans-serif; fill: #333; }
  .title { font-size: 16px; font-weight: bold; }
  .small { font-size: 11px; fill: #555; }
  .grid { stroke: #e4e4e4; stroke-width: 1; }
  .axis { stroke: #888; stroke-width: 1; fill: none; }
  .line { fill: none; stroke-width: 2; }
  .whisker { stroke-width: 1.2; }
"""


@dataclasses.dataclass
class Point:
    x: float
    y: float
    # The range of the measurements: minimum and maximum.
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclasses.dataclass
class Series:
    name: str
    points: list
    has_line: bool = True
    has_markers: bool = True
    is_dashed: bool = False


class Axis:
    """Maps numbers to a range of pixels."""

    def __init__(self, values, pixels, is_logarithmic, ticks=None):
        self.pixels = pixels
        self.is_logarithmic = is_logarithmic
        self.fixed_ticks = ticks
        low, high = min(values), max(values)
        if is_logarithmic:
            margin = 0.04 * max(math.log10(high / low), 0.1)
            self.low, self.high = math.log10(low) - margin, math.log10(high) + margin
        else:
            self.low, self.high = 0.0, 1.08 * high

    def __call__(self, value):
        position = math.log10(value) if self.is_logarithmic else value
        first, last = self.pixels
        return first + (position - self.low) / (self.high - self.low) * (last - first)

    def ticks(self):
        if self.fixed_ticks is not None:
            return self.fixed_ticks
        return self._logarithmic_ticks() if self.is_logarithmic else self._linear_ticks()

    def _logarithmic_ticks(self):
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        ticks = []
        # The fewer decades there are, the more ticks in each.
        for digits in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
            ticks = [digit * 10.0**decade for decade in decades for digit in digits]
            ticks = [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]
            if len(ticks) >= 4:
                break
        return ticks

    def _linear_ticks(self):
        step = 10 ** math.floor(math.log10(self.high / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if self.high / (step * factor) <= 6)
        return [step * number for number in range(math.floor(self.high / step) + 1)]


def number(value):
    return f"{value:,.0f}".replace(",", " ") if value >= 1000 else f"{value:.4g}"


@dataclasses.dataclass
class Chart:
    title: str
    x_label: str
    y_label: str
    series: list
    x_ticks: list | None = None
    x_is_logarithmic: bool = True
    y_is_logarithmic: bool = True
    height: int = 460

    def svg(self):
        points = [point for series in self.series for point in series.points]
        x = Axis([point.x for point in points], (LEFT, WIDTH - RIGHT), self.x_is_logarithmic, self.x_ticks)
        heights = [height for point in points for height in (point.low, point.y, point.high) if height is not None]
        y = Axis(heights, (self.height - BOTTOM, TOP), self.y_is_logarithmic)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img">',
            f"<title>{html.escape(self.title)}</title>",
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{self.height}" fill="#fff"/>',
            text(LEFT, 24, self.title, "title"),
            *self._frame(x, y),
        ]
        for index, series in enumerate(self.series):
            parts += self._series(series, COLOURS[index % len(COLOURS)], x, y)
        parts += [*self._labels(x, y), *self._legend()]
        return "\n".join([*parts, "</svg>", ""])

    def _frame(self, x, y):
        bottom, right = self.height - BOTTOM, WIDTH - RIGHT
        parts = []
        for tick in x.ticks():
            parts.append(line(x(tick), TOP, x(tick), bottom, "grid"))
            parts.append(text(x(tick), bottom + 18, number(tick), anchor="middle"))
        for tick in y.ticks():
            parts.append(line(LEFT, y(tick), right, y(tick), "grid"))
            parts.append(text(LEFT - 8, y(tick) + 4, number(tick), anchor="end"))
        parts.append(f'<path class="axis" d="M{LEFT},{TOP}V{bottom}H{right}"/>')
        parts.append(text((LEFT + right) / 2, self.height - 18, self.x_label, anchor="middle"))
        middle = (TOP + bottom) / 2
        parts.append(
            f'<text x="18" y="{middle}" text-anchor="middle" transform="rotate(-90 18 {middle})">'
            f"{html.escape(self.y_label)}</text>"
        )
        return parts

    def _series(self, series, colour, x, y):
        parts = []
        if series.has_line:
            path = " ".join(f"{x(point.x):.1f},{y(point.y):.1f}" for point in series.points)
            dashes = ' stroke-dasharray="6 4"' if series.is_dashed else ""
            parts.append(f'<polyline class="line" stroke="{colour}"{dashes} points="{path}"/>')
        for point in series.points:
            if point.low is not None:
                whisker = line(x(point.x), y(point.low), x(point.x), y(point.high), "whisker")
                parts.append(whisker.replace("/>", f' stroke="{colour}"/>'))
            if series.has_markers:
                parts.append(f'<circle cx="{x(point.x):.1f}" cy="{y(point.y):.1f}" r="4" fill="{colour}"/>')
        return parts

    def _labels(self, x, y):
        """The points' names, placed so that they hide nothing drawn before."""
        points = [point for series in self.series for point in series.points]
        taken = [Box(x(point.x) - 5, y(point.y) - 5, 10, 10) for point in points if point.label]
        parts = []
        for point in points:
            if not point.label:
                continue
            box = place(point.label, x(point.x), y(point.y), taken)
            taken.append(box)
            parts.append(text(box.x, box.y + 11, point.label, "small"))
        return parts

    def _legend(self):
        parts = []
        position = LEFT
        for index, series in enumerate(self.series):
            colour = COLOURS[index % len(COLOURS)]
            if series.has_line:
                dashes = ' stroke-dasharray="6 4"' if series.is_dashed else ""
                parts.append(
                    f'<line x1="{position}" y1="41" x2="{position + 20}" y2="41" stroke="{colour}" '
                    f'stroke-width="2"{dashes}/>'
                )
            if series.has_markers:
                parts.append(f'<circle cx="{position + 10}" cy="41" r="4" fill="{colour}"/>')
            parts.append(text(position + 26, 45, series.name))
            position += 44 + 7 * len(series.name)
        return parts


@dataclasses.dataclass
class Box:
    x: float
    y: float
    width: float
    height: float

    def overlap(self, other):
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        down = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(across, 0) * max(down, 0)


def place(label, x, y, taken):
    """The position next to (x, y) where the label covers least of the occupied places, and stays within the frame."""
    width, height = 6.4 * len(label), 14
    choices = []
    for distance in (0, 14, 28):
        for rise in (-height / 2 - distance, -height / 2 + distance):
            choices += [Box(x + 8, y + rise, width, height), Box(x - 8 - width, y + rise, width, height)]
    inside = [choice for choice in choices if choice.x > LEFT and choice.x + width < WIDTH - RIGHT]
    return min(inside or choices, key=lambda choice: sum(choice.overlap(other) for other in taken))


def text(x, y, content, style="", anchor="start"):
    kind = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{html.escape(content)}</text>'


def line(x1, y1, x2, y2, style):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'
