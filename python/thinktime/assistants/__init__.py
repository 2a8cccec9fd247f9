"""A server of the Model Context Protocol, by which assistants use what the commands do.

The server itself reads requests and writes answers. Each piece of work has a process of its own
(`worker`), which the kernel keeps within the user's folder (`confinement`), and which ends if it is
cancelled or if the server is gone.
"""
