"""A question in a window of its own; run as a script, with the standard library alone.

Reads JSON lines: `{"title", "message", "where"}` first, later `{"end": words}`; the end of
the input closes it. Writes `{"shown": true}` once it can be seen, then
`{"answer": "approve" | "decline"}`, or `{"unavailable": reason}`.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tkinter as tk

Lines = queue.Queue["dict[str, str] | None"]
"""What is read, handed to the window; nothing more comes after `None`."""

ARMING_MS = 1500
"""A window that comes up under somebody's hands takes no answer for that long."""

CLOSING_MS = 5000
"""What became of the question stays to be read."""

# A person does not notice it, and the processor neither.
POLL_MS = 50


def tell(**message: object) -> None:
    """Write one line to whoever started this."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def read_into(lines: Lines) -> None:
    """Hand over what is read; nothing more comes after `None`."""
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            break
        lines.put(message)
    lines.put(None)


class Window:
    """The window of one question."""

    def __init__(self, question: dict[str, str], lines: Lines) -> None:
        import tkinter as tk

        self.root = root = tk.Tk(className="mcp-approval")
        self.lines = lines
        self.armed = self.seen = self.settled = False
        root.title(question["title"])
        root.attributes("-topmost", True)
        root.protocol("WM_DELETE_WINDOW", self.decline)
        root.bind("<Escape>", lambda _: self.decline())
        # Return is no answer anywhere: it is what hands type.
        root.bind_class("Button", "<Return>", lambda _: "break")
        buttons = tk.Frame(root)
        buttons.pack(side="bottom", fill="x", padx=12, pady=12)
        self.no = tk.Button(buttons, text="Decline", state="disabled", command=self.decline)
        self.yes = tk.Button(buttons, text="Approve", state="disabled", command=self.approve)
        self.yes.pack(side="right", padx=6)
        self.no.pack(side="right", padx=6)
        self.note = tk.Label(buttons, anchor="w", text=question["where"])
        self.note.pack(side="left", fill="x", expand=True)
        heading = tk.Label(root, text=question["title"], anchor="w", wraplength=640, justify="left")
        heading.pack(side="top", fill="x", padx=12, pady=(12, 0))
        bar = tk.Scrollbar(root, takefocus=0)
        self.text = tk.Text(
            root,
            width=88,
            height=24,
            wrap="word",
            font="TkFixedFont",
            takefocus=0,
            yscrollcommand=self.scrolled,
        )
        self.bar = bar
        bar.config(command=self.text.yview)
        bar.pack(side="right", fill="y", pady=12, padx=(0, 12))
        self.text.pack(side="left", fill="both", expand=True, pady=12, padx=(12, 0))
        self.text.insert("1.0", question["message"])
        self.text.config(state="disabled")
        root.bind("<Map>", self.mapped)
        root.bind("<Prior>", lambda _: self.text.yview_scroll(-1, "pages"))
        root.bind("<Next>", lambda _: self.text.yview_scroll(1, "pages"))
        root.after(POLL_MS, self.poll)

    def mapped(self, event: tk.Event[tk.Misc]) -> None:
        """Say that it can be seen, and arm the buttons a while later."""
        if event.widget is self.root:
            self.root.unbind("<Map>")
            self.root.focus_set()
            tell(shown=True)
            self.root.after(ARMING_MS, self.arm)

    def arm(self) -> None:
        """Take answers from now on."""
        self.armed = True
        self.no.config(state="normal")
        self.look()

    def scrolled(self, first: float, last: float) -> None:
        """Follow the text; its end must have been in view before a yes."""
        self.bar.set(first, last)
        if float(last) >= 1.0 and self.root.winfo_ismapped():
            self.seen = True
        self.look()

    def look(self) -> None:
        """Free the yes once everything can have been read."""
        if float(self.text.yview()[1]) >= 1.0 and self.root.winfo_ismapped():
            self.seen = True
        if self.armed and self.seen and not self.settled:
            self.yes.config(state="normal")

    def approve(self) -> None:
        """Answer yes."""
        self.settle("approve")

    def decline(self) -> None:
        """Answer no; closing the window means the same."""
        self.settle("decline")

    def settle(self, verb: str) -> None:
        """Give the one answer."""
        if not self.armed:
            return
        if self.settled:
            self.root.destroy()
            return
        tell(answer=verb)
        self.over("Approved." if verb == "approve" else "Declined.")

    def over(self, words: str) -> None:
        """Show what became of it and take nothing more."""
        self.settled = self.armed = True
        self.yes.config(state="disabled")
        self.no.config(state="disabled")
        self.note.config(text=words)

    def poll(self) -> None:
        """Take what was read in the other thread."""
        while True:
            try:
                message = self.lines.get_nowait()
            except queue.Empty:
                break
            if message is None:
                self.root.destroy()
                return
            self.over(message["end"])
            self.root.after(CLOSING_MS, self.root.destroy)
        self.root.after(POLL_MS, self.poll)


def main() -> None:
    """Show one question."""
    lines: Lines = queue.Queue()
    threading.Thread(target=read_into, args=(lines,), daemon=True).start()
    question = lines.get()
    if question is None:
        return
    try:
        import tkinter as tk
    except ImportError:
        tell(unavailable="no program for a window")
        return
    try:
        if "probe" in question:
            tk.Tk().destroy()
            tell(shown=True)
            return
        window = Window(question, lines)
    except tk.TclError:
        tell(unavailable="no display")
        return
    window.root.mainloop()


if __name__ == "__main__":
    main()
