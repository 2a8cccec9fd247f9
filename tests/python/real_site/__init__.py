"""A real site behind nginx, and its visitors, which share no code with the tool."""
