"""Rows of a race as a table for people, as JSON, and as a picture."""

import json
import math
import subprocess


def header(unit, names):
    columns = f'{names[0]:>14}' + ''.join(f' {name:>16} {"ratio":>8}' for name in names[1:])
    return f'{"median " + unit:<26} {"size":>9} {columns}'


def line(row):
    def cell(value, width):
        if value is None:
            return f'{"-":>{width}}'
        return f'{value:>{width}.{1 if value >= 10 else 3}f}'
    cells = cell(row.median(0), 14)
    for place in range(1, len(row.runs)):
        ratio = row.ratio(place)
        cells += f' {cell(row.median(place), 16)} ' + (f'{"-":>8}' if ratio is None else f'{ratio:>7.2f}x')
    return f'{row.title:<26} {row.size:>9} {cells}'


def as_json(rows, names):
    return json.dumps([
        {'case': row.case, 'figure': row.title, 'unit': row.unit, 'size': row.size,
         'contestants': {name: {'median': row.median(i), 'runs': row.runs[i]} for i, name in enumerate(names)}}
        for row in rows], indent=1) + '\n'


def gnuplot_script(rows, names, file):
    """Cost over size, a panel for each figure that has several sizes and a line for each contestant."""
    panels = {}
    for row in rows:
        panels.setdefault((row.title, row.unit), []).append(row)
    panels = {key: found for key, found in panels.items() if len(found) > 1}
    columns = max(1, min(4, math.ceil(math.sqrt(len(panels)))))
    lines = [f'set terminal svg size {360 * columns},{270 * math.ceil(len(panels) / columns)} background "white"',
             f'set output "{file}"', 'set logscale xy', 'set grid', 'set key top left', 'set format x "10^{%L}"',
             f'set multiplot layout {math.ceil(len(panels) / columns)},{columns}']
    for (title, unit), found in panels.items():
        lines += [f'set title "{title}" noenhanced', f'set ylabel "{unit}"']
        plots, data = [], []
        for place, name in enumerate(names):
            points = [(row.size, row.median(place)) for row in found if row.median(place)]
            if points:
                plots.append(f'"-" using 1:2 with linespoints linewidth 2 title "{name}"')
                data += [f'{size} {value}' for size, value in points] + ['e']
        lines += ['plot ' + ', '.join(plots)] + data
    return '\n'.join(lines + ['unset multiplot']) + '\n'


def plot(rows, names, file):
    """Writes an SVG; needs gnuplot."""
    subprocess.run(['gnuplot'], input=gnuplot_script(rows, names, file), text=True, check=True)
