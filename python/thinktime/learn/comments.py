"""Comments in the files that learning writes."""

WIDTH = 96


def note(text: str) -> str:
    """A comment, broken into lines; `?` replaces characters that TOML does not allow in one."""
    text = "".join(one if one.isprintable() or one.isspace() else "?" for one in text)
    lines, line = [], "#"
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "\n".join([*lines, line])
