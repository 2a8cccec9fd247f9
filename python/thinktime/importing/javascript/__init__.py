"""Scripts in JavaScript and TypeScript, read and never run."""
