"""Draws the digits of this folder: strokes of several widths, dark on light and light on dark. Needs Pillow."""

import os

from PIL import Image, ImageDraw, ImageFilter

FOLDER = os.path.dirname(os.path.abspath(__file__))


def draw(name, strokes, size, width, ink, paper, mode="RGB"):
    scale = 4
    image = Image.new(mode, (size[0] * scale, size[1] * scale), paper)
    pen = ImageDraw.Draw(image)
    for stroke in strokes:
        points = [(x * size[0] * scale, y * size[1] * scale) for x, y in stroke]
        pen.line(points, fill=ink, width=width * scale, joint="curve")
        for x, y in points:
            r = width * scale / 2
            pen.ellipse((x - r, y - r, x + r, y + r), fill=ink)
    image = image.resize(size, Image.LANCZOS).filter(ImageFilter.GaussianBlur(0.6))
    image.save(os.path.join(FOLDER, name))


ONE = [[(0.42, 0.30), (0.52, 0.18), (0.50, 0.82)]]
TWO = [[(0.28, 0.32), (0.36, 0.20), (0.52, 0.16), (0.66, 0.22), (0.70, 0.36), (0.60, 0.52), (0.42, 0.68), (0.28, 0.82), (0.74, 0.80)]]
THREE = [[(0.30, 0.22), (0.48, 0.15), (0.66, 0.22), (0.66, 0.36), (0.46, 0.47), (0.66, 0.55), (0.70, 0.70), (0.54, 0.83), (0.30, 0.78)]]
FOUR = [[(0.34, 0.18), (0.27, 0.52), (0.70, 0.50)], [(0.66, 0.20), (0.62, 0.84)]]
SEVEN = [[(0.26, 0.20), (0.74, 0.20), (0.56, 0.48), (0.44, 0.84)]]
ZERO = [[(0.50, 0.15), (0.34, 0.24), (0.27, 0.50), (0.35, 0.76), (0.50, 0.85), (0.66, 0.75), (0.73, 0.50), (0.66, 0.24), (0.50, 0.15)]]

draw("0_light_on_dark.png", ZERO, (120, 140), 12, (250, 250, 240), (10, 20, 30))
draw("1_dark_on_light.png", ONE, (64, 64), 6, 0, 255, "L")
draw("2_dark_on_light.jpg", TWO, (160, 160), 14, (20, 20, 90), (245, 240, 225))
draw("3_light_on_dark.jpg", THREE, (100, 130), 9, (255, 255, 255), (0, 40, 20))
draw("4_dark_on_light.png", FOUR, (90, 90), 7, (0, 0, 0), (255, 255, 255))
draw("7_light_on_dark.png", SEVEN, (80, 100), 8, 220, 30, "L")
