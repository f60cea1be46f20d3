# Everything works with Python 3.11 or newer, git and make; uv is brought along.
PYTHON ?= python3
TOOLS := .tools
UV := $(TOOLS)/bin/uv
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
