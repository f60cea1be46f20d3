"""What the servers of this project share: settings, tools, results, HTTP, the process.

The kit knows no product. Modules that a server needs before its first answer import
only the standard library; `server`, `validation`, `http` and `process` load the SDK and
its company when a call needs them.
"""
