"""Labs: hosts, links, servers and workloads out of one file, in network namespaces of their own.

`file` reads a LAB file; `instance` sees that the machine meets its `requirements`, makes hosts
(`namespaces`), links (`links`, `forwarder`) and servers, and takes them away again (`removal`), of
which `journal` and the names in `places` know;
`experiment` lets the workloads and the hostile clients (`hostile`) run.
"""
