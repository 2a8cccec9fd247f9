"""Comments in the files that learning writes."""

WIDTH = 96


def note(text: str) -> str:
    """A comment, broken into lines."""
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*lines, line])
