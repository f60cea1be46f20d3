"""Faults that others reported, here or elsewhere, each ruled out by a test.

The report stands in brackets.
"""

from __future__ import annotations

REPORTED: dict[str, str] = {
    "R-01": "sizes are counted in bytes, and a refusal names the limit that was met"
    " (cyanheads/ntfy-mcp-server#15)",
    "R-02": "errors about a delay are told as such, and fields have ntfy's types"
    " (cyanheads/ntfy-mcp-server#29)",
    "R-03": "a damaged or foreign answer is not told as an empty topic"
    " (cyanheads/ntfy-mcp-server#24)",
    "R-04": "what is no topic name is refused before a request and not echoed"
    " (binwiederhier/ntfy#1451)",
    "R-05": "cache and Firebase are switched off by the word that ntfy heeds"
    " (binwiederhier/ntfy#1119)",
    "R-06": "a wrong TLS mode fails soon with its likely cause, never in clear text"
    " (cole/aiosmtplib#180)",
    "R-07": "blind recipients stand in no byte that is sent (pimalaya/himalaya#747)",
    "R-08": "attachments are regular files of one folder, as they were approved"
    " (resend/resend-mcp#113)",
    "R-09": "each message has one date and one id that say nothing of the machine"
    " (authelia/authelia#3683)",
    "R-10": "a long DKIM key is split before the question, or the refusal says how"
    " (hetznercloud/terraform-provider-hcloud#1220)",
    "R-11": "full names become relative before anything is decided (ddclient/ddclient#830)",
    "R-12": "ACME challenges are added side by side; one that is there is no error"
    " (hetzner/cert-manager-webhook-hetzner#213)",
    "R-13": "names beyond ASCII are converted alike everywhere and shown as A-labels"
    " (hetzner/external-dns-hetzner-webhook#160)",
    "R-14": "a zone file reaches the API unchanged, whatever legal syntax it uses"
    " (TechnitiumSoftware/DnsServer#1275)",
    "R-15": "a name with a slash is one encoded segment of the path"
    " (woodpecker-ci/woodpecker#1938)",
    "R-16": "registry addresses with a scheme are refused, and old ones can be deleted"
    " (woodpecker-ci/woodpecker#4348)",
    "R-17": "a new cron job is switched on, and a refusal names its reason"
    " (woodpecker-ci/woodpecker#6228)",
    "R-18": "an emptied list is sent as such, a field that is left out is not"
    " (woodpecker-ci/woodpecker#827)",
    "R-19": "a host that declines by itself opens no way round the question"
    " (anthropics/claude-code#79174)",
    "R-20": "half a surrogate pair ends no process, whichever way it comes"
    " (MemPalace/mempalace#503)",
    "R-21": "stdout carries nothing but the protocol (s-stefanov/actual-mcp#161)",
    "R-22": "wrapped lists, numbers and nulls are unwrapped before they are bound"
    " (PrefectHQ/fastmcp#932)",
    "R-23": "proxy variables of a desktop keep no server from starting (encode/httpx#1082)",
    "R-24": "retries with old, foreign or forged states execute nothing"
    " (modelcontextprotocol/typescript-sdk#2314)",
    "R-25": "dots as a name are refused before they climb out of a path (workos/workos-python#728)",
    "R-26": "text that looks like JSON arrives as the text it was"
    " (modelcontextprotocol/python-sdk#1113)",
    "R-27": "the oldest messages can be reached as well as the newest"
    " (cyanheads/ntfy-mcp-server#27)",
    "R-28": "what is scheduled before and delivered after a reading is not lost"
    " (NousResearch/hermes-agent#61436)",
    "R-29": "a time that ntfy would read only in part never leaves (binwiederhier/ntfy#1069)",
    "R-30": "a message that is not delivered yet tells when it will be"
    " (cyanheads/ntfy-mcp-server#19)",
    "R-31": "own notifications are told apart from those of others"
    " (NousResearch/hermes-agent#34838)",
    "R-32": "an answer by button is awaited without polling, its credentials unseen"
    " (binwiederhier/ntfy#550)",
    "R-33": "a long text goes out as a file when that is asked for (binwiederhier/ntfy#762)",
    "R-34": "a script's own id creates first and replaces later, and both are told"
    " (home-assistant/core#161342)",
    "R-35": "the quota of the day stops a batch, the limit of one topic does not"
    " (lyc8503/UptimeFlare#204)",
    "R-36": "the newest messages are kept, and each can be read whole"
    " (cyanheads/ntfy-mcp-server#17)",
    "R-37": "text that readers do not see is taken out or named (kellylford/QuickMail#143)",
    "R-38": "the whole content of a mail is shown and not a sample (resend/resend-mcp#205)",
    "R-39": "misleading links and recipients outside the domain are marked"
    " (freescout-help-desk/freescout#4788)",
    "R-40": "emoji are not told as hidden characters (opena2a-org/hackmyagent#409)",
    "R-41": "cleaning keeps a background with its text, and faint text is named"
    " (TRC-Loop/Pelton#35)",
    "R-42": "text made from HTML keeps the targets of its links (bcit-ci/CodeIgniter#1721)",
    "R-43": "Markdown keeps its single line breaks (awdeorio/mailmerge#116)",
    "R-44": "a refused greeting names the variable that cures it (PHPMailer/PHPMailer#1095)",
    "R-45": "a server that can be spoken to is left with a goodbye (fail2ban/fail2ban#1697)",
    "R-46": "what a server says in mid-upload is told (PHPMailer/PHPMailer#654)",
    "R-47": "who lacks a message after a partial delivery is remembered"
    " (mohamedboukari/bunmail#97)",
    "R-48": "a text file in UTF-8 says so (anymail/django-anymail#150)",
    "R-49": "a calendar file names its method (ical4j/ical4j#529)",
    "R-50": "plain ASCII headers stay readable, however long they are (fewlinesco/bamboo_smtp#112)",
    "R-51": "odd but real message ids thread (jstedfast/MailKit#1407)",
    "R-52": "a mail that nobody was asked about says that a program sent it"
    " (jstedfast/MailKit#1821)",
    "R-53": "a sent message lies in the Sent folder as well (Infomaniak/mcp-server-mail#11)",
    "R-54": "a parent that cannot thread is refused with the reason (suitenumerique/messages#673)",
    "R-55": "umlauts, names and ids survive the way to the wire (ProtonMail/WebClients#93)",
    "R-57": "what was held does not run by cancelling and restarting it"
    " (woodpecker-ci/woodpecker#6619)",
    "R-58": "once a missing secret is added a push runs again, a fork does not"
    " (woodpecker-ci/woodpecker#2982)",
    "R-59": "why a pipeline does not start is told to admins and to others"
    " (woodpecker-ci/woodpecker#4392)",
    "R-60": "no restart is tried where no configuration was stored (woodpecker-ci/woodpecker#7115)",
    "R-61": "exit codes that need words have them (woodpecker-ci/woodpecker#4950)",
    "R-62": "a filtered run names the conditions that may stand in the way"
    " (woodpecker-ci/woodpecker#7051)",
    "R-63": "a trigger says that it takes branches, neither tags nor commits"
    " (woodpecker-ci/woodpecker#6810)",
    "R-64": "an admin sees which agent ran a step by its name (woodpecker-ci/woodpecker#5179)",
    "R-65": "an empty list of repositories says what may be missing from it"
    " (woodpecker-ci/woodpecker#1973)",
    "R-66": "the size of output can be chosen (CircleCI-Public/mcp-server-circleci#138)",
    "R-67": "a wait stays below the client's limit and can be repeated"
    " (avivsinai/bitbucket-cli#252)",
    "R-68": "a stderr that nobody reads stops nothing (mark3labs/mcp-go#956)",
    "R-69": "an id in flight is not taken twice, and a cancel means the first"
    " (modelcontextprotocol/python-sdk#3060)",
    "R-70": "a gateway's answer to a write is not told as not done"
    " (databricks-solutions/ai-dev-kit#80)",
    "R-71": "no answer of a service breaks a tool's own schema (cyanheads/obsidian-mcp-server#108)",
    "R-72": "a list of nothing but commas opens nothing (RekklesNA/ProxmoxMCP-Plus#122)",
    "R-73": "a dialog can be read even where its line ends are lost"
    " (postmanlabs/postman-app-support#14004)",
    "R-74": "a dialog that was given up in silence keeps no later call waiting"
    " (anthropics/claude-code#88901)",
    "R-75": "a second handshake takes no dialog away (modelcontextprotocol/ruby-sdk#349)",
    "R-76": "a client that renders Markdown shows values as they are (MarkEdit-app/MarkEdit#1545)",
    "R-77": "text in characters that nobody sees is taken out and counted (microsoft/PyRIT#835)",
    "R-78": "a question that comes again says why (tinyhumansai/opencompany#1449)",
    "R-79": "what a new zone file changes is shown before it replaces the zone"
    " (octodns/octodns#231)",
    "R-80": "a second SPF policy at a name is warned about (platformsh/platformsh-docs#3543)",
    "R-81": "a faulty record can be removed as it is stored (PowerDNS/pdns#2393)",
    "R-82": "an argument that belongs to another tool names that tool (ddclient/ddclient#871)",
    "R-83": "a name below a zone is answered with the zone (go-acme/lego#2902)",
    "R-84": "a TTL that the API refuses is refused before anybody is asked"
    " (timohirt/terraform-provider-hetznerdns#4)",
    "R-85": "the dialog of a replacement marks what stays and counts what goes"
    " (spf-tools/spf-tools#163)",
    "R-86": "a target without its final dot is refused with both readings"
    " (mconfalonieri/external-dns-hetzner-webhook#72)",
    "R-87": "texts at the edges of a string, and quotes inside, arrive as given"
    " (DNSControl/dnscontrol#1069)",
    "R-88": "zones below co.uk and wildcards as full names are handled"
    " (germanbrew/terraform-provider-hetznerdns#118)",
}
"""Reported cases."""
