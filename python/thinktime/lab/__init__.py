"""Labs: hosts, links, servers and workloads from one file, in network namespaces of their own.

`file` reads a LAB file. `instance` checks that the machine meets its `requirements`, and makes
hosts (`namespaces`), links (`links`, `forwarder`) and servers. It also takes them away again
(`removal`), guided by `journal` and the names in `places`. `experiment` runs the workloads and the
hostile clients (`hostile`).
"""
