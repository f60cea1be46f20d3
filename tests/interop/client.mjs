// Plays one scenario with a TypeScript SDK: JSON on standard input, JSON on standard output.
//
// In:  {sdk, era, command, args, env, answer, calls: [{tool, arguments, repeat}]}
// Out: {server, version, tools, asked, validated, results: [{isError, text, structured, error}]}
// Who answers "leave" cancels the call while its dialog is open, and says yes all the same.

import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const require = createRequire(join(process.env.INTEROP_MODULES, "package.json"));
const scenario = JSON.parse(await text(process.stdin));

const SDKS = {
  "typescript 1": {
    module: "@modelcontextprotocol/sdk/client/index.js",
    stdio: "@modelcontextprotocol/sdk/client/stdio.js",
    validator: "@modelcontextprotocol/sdk/validation/ajv",
    question: () => require("@modelcontextprotocol/sdk/types.js").ElicitRequestSchema,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
  "typescript 2": {
    module: "@modelcontextprotocol/client",
    stdio: "@modelcontextprotocol/client/stdio",
    validator: "@modelcontextprotocol/client/validators/ajv",
    question: () => "elicitation/create",
    call: (client, params, options) => client.callTool(params, options),
  },
};
const sdk = SDKS[scenario.sdk];
const { Client } = require(sdk.module);
const { StdioClientTransport } = require(sdk.stdio);
const { AjvJsonSchemaValidator } = require(sdk.validator);

const report = { asked: [], validated: 0, results: [] };
let running = new AbortController();

// The SDK checks structured content against the output schemas that it has listed; this
// counts how often it did.
class CountingValidator extends AjvJsonSchemaValidator {
  getValidator(schema) {
    const validate = super.getValidator(schema);
    return (value) => {
      report.validated += 1;
      return validate(value);
    };
  }
}

function answer(request) {
  report.asked.push(request.params.message);
  if (scenario.answer === "leave") {
    running.abort("the caller went away");
  }
  const says = scenario.answer === "leave" ? "accept" : scenario.answer;
  return says === "accept" ? { action: says, content: { confirm: true } } : { action: says };
}

async function play(client, params) {
  running = new AbortController();
  try {
    const result = await sdk.call(client, params, { signal: running.signal });
    return {
      isError: result.isError === true,
      text: result.content.map((block) => block.text ?? "").join("\n"),
      structured: result.structuredContent ?? null,
      error: null,
    };
  } catch (error) {
    return { isError: true, text: "", structured: null, error: String(error) };
  }
}

const client = new Client(
  { name: "interop", version: "1.0.0" },
  {
    capabilities: scenario.answer === null ? {} : { elicitation: {} },
    jsonSchemaValidator: new CountingValidator(),
    versionNegotiation: { mode: scenario.era === "modern" ? { pin: "2026-07-28" } : "legacy" },
  },
);
if (scenario.answer !== null) {
  client.setRequestHandler(sdk.question(), answer);
}
const transport = new StdioClientTransport({
  command: scenario.command,
  args: scenario.args,
  env: scenario.env,
  stderr: "ignore",
});
transport.setProtocolVersion = (version) => {
  report.version = version;
};
await client.connect(transport);
report.server = client.getServerVersion().name;
report.tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const { tool, arguments: given, repeat } of scenario.calls) {
  const result = await play(client, { name: tool, arguments: given });
  report.results.push(result);
  if (repeat) {
    const token = /confirm_token="([0-9a-f]{32})"/.exec(result.text)?.[1] ?? "none";
    report.results.push(
      await play(client, { name: tool, arguments: { ...given, confirm_token: token } }),
    );
  }
}
await client.close();
process.stdout.write(JSON.stringify(report));
