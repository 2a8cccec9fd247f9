"""Labs: hosts, links, servers and workloads out of one file, in network namespaces of their own.

`file` reads a LAB file; `running` sees that the machine has what it `needs`, makes hosts
(`namespaces`), links (`links`, `forwarder`) and servers, and takes them away again (`cleaning`), of
which `journal` and the names in `places` know;
`performing` lets the workloads and the hostile clients (`hostile`) run.
"""
