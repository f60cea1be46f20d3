"""The requirements manifest: what the founding texts state, sentence by sentence.

Each id names one stated behaviour; a test carries the id of each behaviour it holds.
"""

from __future__ import annotations

COMMON: dict[str, str] = {
    "S-all-1": "no argument that a model can set approves a call",
    "S-all-2": "nor does a token from an earlier result, where a dialog is possible",
    "S-all-3": "the server itself raises the question, by elicitation",
    "S-all-4": "nothing happens until an answer comes; no answer, no change",
    "S-all-5": "an approval runs only the target it was given for",
    "S-all-6": "for a set, the binding is the exact list",
    "S-all-7": "a client without elicitation gets the two-call token instead of a refusal",
    "S-all-8": "so does a gateway that cannot speak for its client in this request",
    "S-all-9": "the first call returns a random text, the second quotes it",
    "S-all-10": "the token proves two calls with the same arguments, and the text says so",
    "S-all-11": "the token catches a widened set of targets",
    "S-all-12": "ELICITATION is true by default; false means the token, never no guard",
    "S-all-13": "the name has no prefix, so it reaches every server of an environment",
    "S-all-14": "a server started with it off prints one exact line",
    "S-all-15": "the fallback text names the server that did not ask",
    "S-all-16": "any other value ends the server with code 1 and names both values",
    "S-all-17": "it is the only variable that is on by default",
    "S-all-18": "every tool declares all four annotations",
    "S-all-19": "the annotations and the list of guarded tools are separate claims",
    "S-all-20": "both protocol revisions run through one code path",
    "S-all-21": "the state is sealed with an HMAC, and answers are not trusted",
    "S-all-22": "a state that does not open, or opens onto another target, asks anew",
    "S-all-23": "behind a gateway that passes elicitation on, the dialog passes through",
}

NTFY: dict[str, str] = {
    "S-ntfy-1": "five of thirteen tools ask, always; the others never do",
    "S-ntfy-2": "create_user is guarded although it destroys nothing",
    "S-ntfy-3": "its description says that it is guarded, and why",
    "S-ntfy-4": "publishing never asks",
    "S-ntfy-5": "NTFY_TOPICS bounds where the server may publish",
    "S-ntfy-6": "a revision replaces what was shown, so it asks",
    "S-ntfy-7": "a revision takes the content that publishing takes, buttons included",
    "S-ntfy-8": "a typing error is no reason to ask twice; overruled by S-ntfy-15",
    "S-ntfy-9": "the dialogs hold topics, counts and account names",
    "S-ntfy-10": "they never hold the content of a notification",
    "S-ntfy-11": "the password of a new account is in neither text nor binding",
    "S-ntfy-12": "the dialog tells what a new account can and cannot do",
    "S-ntfy-13": "a token issued for one password works with another",
    "S-ntfy-14": "positions are bound in order: account and topic cannot swap",
    "S-ntfy-15": "a revision's content is bound, so an added button is another call",
    "S-ntfy-16": "the dialog names the replaced fields on lines of their own, unquoted",
    "S-ntfy-17": "an answer is used up by its first use, accept or decline",
    "S-ntfy-18": "a token is deleted when it is used",
    "S-ntfy-19": "the record lives in the process and does not outlive it",
    "S-ntfy-20": "every guarded tool is idempotent in effect; publishing alone acts twice",
    "S-ntfy-21": "a second deletion announces again; a second revision carries the same text",
    "S-ntfy-22": "a publication is never repeated blindly, and the security page says so",
}

SMTP: dict[str, str] = {
    "S-smtp-1": "sending, replying and forwarding ask for every message; four tools never do",
    "S-smtp-2": "the dialog is the last of four gates",
    "S-smtp-3": "SMTP_ALLOW_SEND decides whether the sending tools exist",
    "S-smtp-4": "SMTP_ALLOWED_RECIPIENTS bounds who can be written to",
    "S-smtp-5": "a slot is reserved before the dialog, and a decline costs it",
    "S-smtp-6": "the hourly cap bounds how often a person can be asked",
    "S-smtp-7": "a token that does not match gives the slot back",
    "S-smtp-8": "recipients, subject and attachment names stand on lines of their own",
    "S-smtp-9": "under a heading that names the caller, never in the server's sentence",
    "S-smtp-10": "the dialog counts the recipients and says that mail cannot be recalled",
    "S-smtp-11": "the start line names the three tools and what a model can do",
    "S-smtp-12": "no tool is destructive: sending takes nothing away",
}

HETZNER: dict[str, str] = {
    "S-hetzner-1": "ten of 22 tools ask, six of them always",
    "S-hetzner-2": "imports, record lists and nameservers are bound exactly",
    "S-hetzner-3": "protection asks only when it is removed",
    "S-hetzner-4": "update_rrset never asks and is marked destructive",
    "S-hetzner-5": "adding asks for the types that decide who answers",
    "S-hetzner-6": "and at the apex, and for a wildcard",
    "S-hetzner-7": "everything else passes without a dialog",
    "S-hetzner-8": "TXT records of ACME challenges are added without a dialog",
    "S-hetzner-9": "CAA records are asked about",
    "S-hetzner-10": "the dialog shows zone, record set, counts and all values to be written",
    "S-hetzner-11": "values that come from the API stay out of it",
    "S-hetzner-12": "a tsig_key is never printed",
    "S-hetzner-13": "a deletion quotes count and TTL, and says that it is final",
    "S-hetzner-14": "update_zone and change_rrset_ttl are destructive and not asked about",
}

WOODPECKER: dict[str, str] = {
    "S-wood-1": "23 of 71 tools ask; deletions, transfers and approvals always",
    "S-wood-2": "repairs ask only instance-wide, log levels only when they silence",
    "S-wood-3": "accounts ask only when they become admin",
    "S-wood-4": "repositories ask only when trust or visibility widens",
    "S-wood-5": "secrets ask only when a value, an event or the images widen",
    "S-wood-6": "registries ask only when a password comes with the call",
    "S-wood-7": "everything else never asks; the harmless half applies at once",
    "S-wood-8": "dialogs hold ids and facts of the server, never a repository's texts",
    "S-wood-9": "approving says that foreign code runs with the repository's secrets",
    "S-wood-10": "bindings are ordered, and hold the body where it decides more",
    "S-wood-11": "an approval may be redeemed again; overruled by S-ntfy-17",
    "S-wood-12": "guarded tools are idempotent, and their hint says so",
    "S-wood-13": "the three tools that start a build are not, and their texts say so",
    "S-wood-14": "moving a repository can succeed and answer 500; its text says so",
    "S-wood-15": "the four that run a build are destructive; only approving asks",
    "S-wood-16": "taking over a repository and pausing the queue tell what follows",
}

MANIFEST: dict[str, str] = {**COMMON, **NTFY, **SMTP, **HETZNER, **WOODPECKER}
